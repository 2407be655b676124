/*
 * notes.h - what is noted of calls beside the tree: messages by peer, sizes of messages by routine,
 * and what became of each file.
 *
 * Wrappers know nothing of it. They call MPI through gptl_mpi_next, and where an option asks for
 * notes, functions that notes.awk makes take the place of MPI's there, which they call in turn. So
 * what is not asked for costs nothing.
 */
#ifndef GPTL_MPI_NOTES_H
#define GPTL_MPI_NOTES_H

#include "mpi/amounts.h"
#include "mpi/peers.h"
#include "mpi/requests.h"

/* ---- Which functions ----------------------------------------------------------------------- */

enum {
    GPTL_MPI_NOTE_PEERS = 1 << 0,
    GPTL_MPI_NOTE_SIZES = 1 << 1,
    GPTL_MPI_NOTE_FILES = 1 << 2,
};

struct gptl_mpi_noter {
    size_t place; /* in gptl_mpi_next */
    void (*function)(void);
    unsigned wanted; /* if any of these is */
};
#define GPTL_MPI_NOTER(name, wanted)                                                               \
    {                                                                                              \
        offsetof(struct gptl_mpi_next, name), (void (*)(void))noting_##name, wanted                \
    }
extern const struct gptl_mpi_noter gptl_mpi_noters[]; /* those that are made */

/* What gptl_mpi_next was before, as far as it is not now. */
extern struct gptl_mpi_next gptl_mpi_under;

/* Puts them where they belong, once MPI is initialized. */
void gptl_mpi_take_notes(void);

/* ---- What they say ------------------------------------------------------------------------- */

/*
 * Functions that take notes are within this, WORK being a variable of theirs: Fortran's functions may
 * call C's of the same name, and then the outer one does. One further up the stack shows that an error
 * handler has left others by longjmp. Notes are taken once MPI's function has returned.
 */
struct gptl_mpi_noting {
    const char *frame; /* of the outermost one */
    unsigned depth;
};
extern __thread struct gptl_mpi_noting gptl_mpi_noting
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

GPTL_MPI_INLINED void gptl_mpi_note_enter(const struct gptl_work *work)
{
    const char *frame = (const char *)work;
    if (gptl_mpi_noting.depth == 0 || frame > gptl_mpi_noting.frame)
        gptl_mpi_noting = (struct gptl_mpi_noting){frame, 0};
    gptl_mpi_noting.depth++;
}

GPTL_MPI_INLINED void gptl_mpi_note_returned(struct gptl_work *work)
{
    work->clock = NULL;
    if (gptl_mpi_noting.depth == 1)
        gptl_core_work_begin(work);
}

GPTL_MPI_INLINED void gptl_mpi_note_leave(const struct gptl_work *work)
{
    gptl_core_work_end(work);
    if (gptl_mpi_noting.depth > 0)
        gptl_mpi_noting.depth--;
}

/* Whether it is the outermost one, and the region NAME is innermost: it is this call that is measured. */
bool gptl_mpi_is_noted(const char *name);

/* Those of COMM, if anybody wants to know. */
struct gptl_mpi_peers *gptl_mpi_note_peers(MPI_Comm comm);

/* NAME is a literal. PEERS are those of the communicator. */
void gptl_mpi_note_sent(const char *name, MPI_Comm comm, int to, struct gptl_mpi_amount amount);
/* The same by the rank in the communicator that PEERS are of. */
void gptl_mpi_note_message(const char *name, struct gptl_mpi_peers *peers, int rank, bool sent,
                           int64_t bytes);
/* What was asked for, where no status will tell. */
void gptl_mpi_note_asked(const char *name, MPI_Comm comm, int from, struct gptl_mpi_amount amount);
void gptl_mpi_note_received(const char *name, struct gptl_mpi_peers *peers,
                            const MPI_Status *status);
void gptl_mpi_note_amount(const char *name, struct gptl_mpi_amount amount);

/* ---- Requests and messages: notes_kept.c --------------------------------------------------- */

/* REQUEST will receive. NULL: it failed. */
void gptl_mpi_note_posted(const char *name, struct gptl_mpi_peers *peers,
                          const MPI_Request *request);
/* A persistent one, between this process and PEER; or with MPI_COMM_NULL, of a collective. */
void gptl_mpi_note_prepared(enum gptl_mpi_what what, MPI_Comm comm, int peer,
                            struct gptl_mpi_amount amount, const MPI_Request *request);
/* A file's: FILE is the name that it has in the ledger, or NULL. */
void gptl_mpi_note_io(const char *name, const char *file, enum gptl_mpi_what what,
                      const MPI_Request *request);
/*
 * For requests.c: what NODE, or a persistent request that it started, had posted as KEY has come to
 * its end. CANCELLED: nothing has been moved.
 */
void gptl_mpi_note_completed(uint64_t key, void *node, bool persistent, const MPI_Status *status,
                             int64_t bytes, bool cancelled);

/* The measurement has ended, and its nodes go: notes of requests that they posted go as well. */
void gptl_mpi_note_forget_nodes(void);

/* Those that a probed message comes from, which are then held by the caller. */
struct gptl_mpi_peers *gptl_mpi_note_message_taken(const MPI_Message *message);

/* ---- Files: files.c ------------------------------------------------------------------------ */

struct gptl_mpi_file_call {
    uint64_t began;
};
struct gptl_mpi_file_call gptl_mpi_file_begins(void);

/* The call NAME with FILE; WHAT it did if there is a STATUS. */
void gptl_mpi_note_file(const struct gptl_mpi_file_call *call, const char *name, MPI_File file,
                        enum gptl_mpi_what what, const MPI_Status *status);
void gptl_mpi_note_file_posted(const struct gptl_mpi_file_call *call, const char *name,
                               MPI_File file, enum gptl_mpi_what what, const MPI_Request *request);
/* How many bytes a file's request has moved. */
void gptl_mpi_note_file_moved(const char *file, enum gptl_mpi_what what, int64_t bytes);

extern const struct gptl_mpi_noter gptl_mpi_file_noters[], gptl_mpi_request_noters[];

/* One direction of a call: bytes that were sent (or written), or received (or read). */
void gptl_mpi_note_size(const char *name, bool sent, int64_t bytes);

#endif
