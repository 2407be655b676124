/* notes.c - the functions that record statistics, and the assignment to ledgers. */
#include "config.h"

#include "mpi/notes.h"

#include <pthread.h>
#include <string.h>

#include "mpi/trace.h"

struct gptl_mpi_next gptl_mpi_under;
__attribute__((tls_model("initial-exec"))) __thread struct gptl_mpi_noting gptl_mpi_noting;
static unsigned wanted; /* GPTL_MPI_NOTE_… */

/* ---- Installation ---------------------------------------------------------------------------- */

typedef void function(void);

static function **slot(struct gptl_mpi_next *next, size_t place)
{
    return (function **)(void *)((char *)next + place);
}

/* Install functions; with sessions, another thread may read the pointers concurrently. */
static void put(const struct gptl_mpi_noter *noters)
{
    for (; noters->function; noters++) {
        function **at = slot(&gptl_mpi_next, noters->place);
        if (!(noters->wanted & wanted))
            continue;
        *slot(&gptl_mpi_under, noters->place) = *at;
        __atomic_store_n(at, noters->function, __ATOMIC_RELEASE);
    }
}

static void put_all(void)
{
    wanted = gptl_core_option(GPTL_OPT_MPI_MATRIX) ? GPTL_MPI_NOTE_PEERS : 0;
    wanted |= gptl_core_option(GPTL_OPT_MPI_SIZES) ? GPTL_MPI_NOTE_SIZES : 0;
    wanted |= gptl_core_option(GPTL_OPT_MPI_FILES) ? GPTL_MPI_NOTE_FILES : 0;
    if (!wanted)
        return;
    gptl_mpi_find_next(); /* completes all pointers */
    put(gptl_mpi_noters);
    put(gptl_mpi_request_noters);
    put(gptl_mpi_file_noters);
}

void gptl_mpi_take_notes(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, put_all);
}

void *gptl_mpi_lowest(void *pointer)
{
    size_t place = (size_t)((char *)pointer - (char *)&gptl_mpi_next);
    function **under = slot(&gptl_mpi_under, place), **untraced = slot(&gptl_mpi_untraced, place);
    return *under ? (void *)under : *untraced ? (void *)untraced : pointer;
}

/* ---- Ledgers --------------------------------------------------------------------------------- */

static GPTL_SELDOM bool is_in(const char *name)
{
    const void *here = gptl_core_here();
    return here && gptl_core_node_kind(here) == GPTL_KIND_MPI &&
           strcmp(gptl_core_node_name(here), name) == 0;
}

bool gptl_mpi_is_noted(const char *name)
{
    return gptl_mpi_likely(gptl_mpi_noting.depth == 1) &&
           (gptl_mpi_likely(gptl_sister_is_in(name, GPTL_KIND_MPI)) || is_in(name));
}

struct gptl_mpi_peers *gptl_mpi_note_peers(MPI_Comm comm)
{
    return wanted & GPTL_MPI_NOTE_PEERS ? gptl_mpi_peers_of(comm) : NULL;
}

static void note_peer(struct gptl_mpi_peers *peers, int rank, bool sent, int64_t bytes)
{
    const int64_t values[GPTL_LEDGER_VALUES] = {sent, sent ? bytes : 0, !sent, sent ? 0 : bytes};
    if (wanted & GPTL_MPI_NOTE_PEERS)
        gptl_core_account(GPTL_LEDGER_PEERS, NULL, gptl_mpi_world_rank(peers, rank), values);
}

void gptl_mpi_note_size(const char *name, bool sent, int64_t bytes)
{
    const int64_t values[GPTL_LEDGER_VALUES] = {sent, sent ? bytes : 0, !sent, sent ? 0 : bytes};
    int64_t from = bytes > 0 ? INT64_C(1) << (63 - __builtin_clzll((uint64_t)bytes)) : 0;
    if (wanted & GPTL_MPI_NOTE_SIZES)
        gptl_core_account(GPTL_LEDGER_SIZES, name, from, values);
}

void gptl_mpi_note_message(const char *name, struct gptl_mpi_peers *peers, int rank, bool sent,
                           int64_t bytes)
{
    if (rank < 0) /* MPI_PROC_NULL, or an unknown sender */
        return;
    note_peer(peers, rank, sent, bytes);
    gptl_mpi_note_size(name, sent, bytes);
}

void gptl_mpi_note_sent(const char *name, MPI_Comm comm, int to, struct gptl_mpi_amount amount)
{
    gptl_mpi_note_message(name, gptl_mpi_note_peers(comm), to, true, amount.sent);
}

void gptl_mpi_note_asked(const char *name, MPI_Comm comm, int from, struct gptl_mpi_amount amount)
{
    gptl_mpi_note_message(name, gptl_mpi_note_peers(comm), from, false, amount.received);
}

void gptl_mpi_note_received(const char *name, struct gptl_mpi_peers *peers,
                            const MPI_Status *status)
{
    if (status && status != MPI_STATUS_IGNORE && gptl_mpi_is_noted(name))
        gptl_mpi_note_message(name, peers, status->MPI_SOURCE, false,
                              gptl_mpi_status_bytes(status));
}

/* Record the amount of a collective; a direction without bytes does not count. */
void gptl_mpi_note_amount(const char *name, struct gptl_mpi_amount amount)
{
    if (amount.sent > 0)
        gptl_mpi_note_size(name, true, amount.sent);
    if (amount.received > 0)
        gptl_mpi_note_size(name, false, amount.received);
}
