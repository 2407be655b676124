/*
 * notes_kept.c - data kept for requests and messages until they are completed or received.
 *
 * A request is identified by its handle and the node of the posting call, since MPI may reuse the
 * handle before the completing thread arrives here.
 */
#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "mpi/notes.h"

/* ---- Kept data ------------------------------------------------------------------------------- */

struct kept {
    struct kept *next;
    uint64_t key;
    const void *owner; /* a node, or one of the marks below */
    enum gptl_mpi_what what;
    struct gptl_mpi_amount amount; /* of each start of a persistent request */
    struct gptl_mpi_peers *peers;  /* reference held */
    int peer;
    const char *file;
};

static const char persistent_mark, message_mark;
#define PERSISTENT ((const void *)&persistent_mark)
#define MESSAGE ((const void *)&message_mark)

/* Sized so that threads with separate requests rarely share a chain or a lock. */
enum { CHAIN_BITS = 12, LOCKS = 64 };
static struct kept *chains[1 << CHAIN_BITS];
static struct {
    pthread_mutex_t mutex;
} __attribute__((aligned(64))) locks[LOCKS] = {[0 ... LOCKS - 1] = {PTHREAD_MUTEX_INITIALIZER}};

struct place {
    struct kept **chain;
    pthread_mutex_t *mutex;
};

static struct place place_of(uint64_t key)
{
    uint64_t i = gptl_mpi_request_hash(key) >> (64 - CHAIN_BITS);
    return (struct place){&chains[i], &locks[i % LOCKS].mutex};
}

/* Return the link to the entry with this key and OWNER. */
static struct kept **find(struct kept **at, uint64_t key, const void *owner)
{
    while (*at && ((*at)->key != key || (*at)->owner != owner))
        at = &(*at)->next;
    return at;
}

/* Entries of measurements that have ended. */
static struct kept *_Atomic forgotten;

static void free_forgotten(void)
{
    for (struct kept *kept = atomic_exchange(&forgotten, NULL), *next; kept; kept = next) {
        next = kept->next;
        gptl_mpi_peers_release(kept->peers);
        free(kept);
    }
}

/* Keep an entry. An existing one belongs to a request whose completion was not observed. */
static void keep(const struct kept *kept)
{
    struct place place = place_of(kept->key);
    struct gptl_mpi_peers *before = NULL;
    if (atomic_load_explicit(&forgotten, memory_order_relaxed))
        free_forgotten();
    gptl_mpi_peers_hold(kept->peers);
    pthread_mutex_lock(place.mutex);
    struct kept **at = find(place.chain, kept->key, kept->owner);
    struct kept *to = *at ? *at : calloc(1, sizeof *to);
    if (to) {
        struct kept *next = to->next;
        before = to->peers;
        *to = *kept;
        to->next = next;
        *at = to;
    } else {
        before = kept->peers;
    }
    pthread_mutex_unlock(place.mutex);
    gptl_mpi_peers_release(before);
}

/* Return an entry, removing it if TAKEN; its peers then belong to the caller. */
static bool get(uint64_t key, const void *owner, bool taken, struct kept *out)
{
    struct place place = place_of(key);
    struct kept *gone = NULL;
    pthread_mutex_lock(place.mutex);
    struct kept **at = find(place.chain, key, owner);
    bool found = *at != NULL;
    if (found)
        *out = **at;
    if (found && taken) {
        gone = *at;
        *at = gone->next;
    }
    pthread_mutex_unlock(place.mutex);
    free(gone);
    return found;
}

/*
 * The caller holds the core's lock, under which MPI must not be called: peers are released later.
 */
void gptl_mpi_note_forget_nodes(void)
{
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        pthread_mutex_t *mutex = &locks[i % LOCKS].mutex;
        pthread_mutex_lock(mutex);
        for (struct kept **at = &chains[i]; *at;) {
            struct kept *kept = *at;
            if (kept->owner == PERSISTENT || kept->owner == MESSAGE) {
                at = &kept->next;
                continue;
            }
            *at = kept->next;
            kept->next = atomic_load(&forgotten);
            while (!atomic_compare_exchange_weak(&forgotten, &kept->next, kept))
                ;
        }
        pthread_mutex_unlock(mutex);
    }
}

/* ---- Requests -------------------------------------------------------------------------------- */

static void keep_request(const struct kept *kept, const MPI_Request *request)
{
    struct kept one = *kept;
    if (!request || *request == MPI_REQUEST_NULL)
        return;
    one.key = gptl_mpi_request_key(*request);
    gptl_mpi_special |= kept->what == GPTL_MPI_READS || kept->what == GPTL_MPI_WRITES
                            ? GPTL_MPI_NOTED_FILES
                            : GPTL_MPI_NOTED;
    keep(&one);
}

void gptl_mpi_note_posted(const char *name, struct gptl_mpi_peers *peers,
                          const MPI_Request *request)
{
    if (gptl_mpi_is_noted(name))
        keep_request(
            &(struct kept){.owner = gptl_core_here(), .what = GPTL_MPI_RECEIVES, .peers = peers},
            request);
}

void gptl_mpi_note_io(const char *name, const char *file, enum gptl_mpi_what what,
                      const MPI_Request *request)
{
    if (gptl_mpi_is_noted(name))
        keep_request(
            &(struct kept){
                .owner = gptl_core_here(), .what = what, .peer = MPI_PROC_NULL, .file = file},
            request);
}

/* Recorded also while nothing is measured, because a later start may be measured. */
void gptl_mpi_note_prepared(enum gptl_mpi_what what, MPI_Comm comm, int peer,
                            struct gptl_mpi_amount amount, const MPI_Request *request)
{
    keep_request(&(struct kept){.owner = PERSISTENT,
                                .what = what,
                                .amount = amount,
                                .peers = comm == MPI_COMM_NULL ? NULL : gptl_mpi_note_peers(comm),
                                .peer = comm == MPI_COMM_NULL ? MPI_ANY_SOURCE : peer},
                 request);
}

void gptl_mpi_note_completed(uint64_t key, void *node, bool persistent, const MPI_Status *status,
                             int64_t bytes, bool cancelled)
{
    struct kept kept;
    const char *name = gptl_core_node_name(node);
    if (!get(key, persistent ? PERSISTENT : node, !persistent, &kept))
        return;
    if (!cancelled && (kept.what == GPTL_MPI_READS || kept.what == GPTL_MPI_WRITES)) {
        gptl_mpi_note_size(name, kept.what == GPTL_MPI_WRITES, bytes);
        if (kept.file)
            gptl_mpi_note_file_moved(kept.file, kept.what, bytes);
    } else if (!cancelled) {
        int from = kept.what == GPTL_MPI_ARRIVES ? kept.peer : status->MPI_SOURCE;
        gptl_mpi_note_message(name, kept.peers, from, false, bytes);
    }
    if (!persistent)
        gptl_mpi_peers_release(kept.peers);
}

/* Record the data sent immediately by a start. */
static void note_start(const char *name, const MPI_Request *request)
{
    struct kept kept;
    if (!request || !gptl_mpi_is_noted(name) ||
        !get(gptl_mpi_request_key(*request), PERSISTENT, false, &kept) ||
        kept.what != GPTL_MPI_NOTHING)
        return;
    if (kept.peer == MPI_ANY_SOURCE)
        gptl_mpi_note_amount(name, kept.amount);
    else
        gptl_mpi_note_message(name, kept.peers, kept.peer, true, kept.amount.sent);
}

static int noting_MPI_Start(MPI_Request *request)
{
    struct gptl_work work;
    MPI_Request one = request ? *request : MPI_REQUEST_NULL;
    gptl_mpi_note_enter(&work);
    int rc = gptl_mpi_under.MPI_Start(request);
    gptl_mpi_note_returned(&work);
    if (rc == MPI_SUCCESS)
        note_start("MPI_Start", &one);
    gptl_mpi_note_leave(&work);
    return rc;
}

static int noting_MPI_Startall(int count, MPI_Request requests[])
{
    struct gptl_work work;
    gptl_mpi_note_enter(&work);
    int rc = gptl_mpi_under.MPI_Startall(count, requests);
    gptl_mpi_note_returned(&work);
    for (int i = 0; rc == MPI_SUCCESS && i < count; i++)
        note_start("MPI_Startall", &requests[i]);
    gptl_mpi_note_leave(&work);
    return rc;
}

/*
 * Record before the request is freed: afterwards another request may use the handle. Other entries
 * of this handle stay, because one may belong to a completed request of another thread that has not
 * processed it yet.
 */
static int noting_MPI_Request_free(MPI_Request *request)
{
    struct kept kept;
    if (request && get(gptl_mpi_request_key(*request), PERSISTENT, true, &kept))
        gptl_mpi_peers_release(kept.peers);
    return gptl_mpi_under.MPI_Request_free(request);
}

/* ---- Messages -------------------------------------------------------------------------------- */

static void keep_message(const MPI_Message *message, MPI_Comm comm)
{
    if (*message != MPI_MESSAGE_NULL && *message != MPI_MESSAGE_NO_PROC)
        keep(&(struct kept){.key = (uint64_t)(uintptr_t)*message,
                            .owner = MESSAGE,
                            .peers = gptl_mpi_note_peers(comm)});
}

struct gptl_mpi_peers *gptl_mpi_note_message_taken(const MPI_Message *message)
{
    struct kept kept;
    if (!message || !get((uint64_t)(uintptr_t)*message, MESSAGE, true, &kept))
        return NULL;
    return kept.peers;
}

static int noting_MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message,
                             MPI_Status *status)
{
    int rc = gptl_mpi_under.MPI_Mprobe(source, tag, comm, message, status);
    if (rc == MPI_SUCCESS)
        keep_message(message, comm);
    return rc;
}

static int noting_MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                              MPI_Status *status)
{
    int rc = gptl_mpi_under.MPI_Improbe(source, tag, comm, flag, message, status);
    if (rc == MPI_SUCCESS && *flag)
        keep_message(message, comm);
    return rc;
}

const struct gptl_mpi_noter gptl_mpi_request_noters[] = {
    GPTL_MPI_NOTER(MPI_Start, GPTL_MPI_NOTE_PEERS | GPTL_MPI_NOTE_SIZES),
    GPTL_MPI_NOTER(MPI_Startall, GPTL_MPI_NOTE_PEERS | GPTL_MPI_NOTE_SIZES),
    GPTL_MPI_NOTER(MPI_Request_free,
                   GPTL_MPI_NOTE_PEERS | GPTL_MPI_NOTE_SIZES | GPTL_MPI_NOTE_FILES),
    GPTL_MPI_NOTER(MPI_Mprobe, GPTL_MPI_NOTE_PEERS),
    GPTL_MPI_NOTER(MPI_Improbe, GPTL_MPI_NOTE_PEERS),
    {0, NULL, 0},
};
