/*
 * messages.c - transport over a communicator. None of its MPI calls appears as a region, because it
 * bypasses all wrappers.
 */
#include "config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ranks/found_mpi.h"
#include "ranks/ranks.h"

/* Context of a transport; a user with mpi.h reads the communicator as an MPI_Comm. */
struct link {
    union gptl_found_handle comm;
    const struct gptl_found_mpi *mpi;
};

/* ---- Waiting --------------------------------------------------------------------------------- */

/*
 * MPI's functions wait actively. If several ranks share a core, the ranks that wait for rank 0
 * would slow down its writing of the report. Therefore this function polls, and sleeps an eighth of
 * the time waited so far.
 */
struct pause {
    long nanoseconds;
};

enum { FIRST_PAUSE = 50000, LONGEST_PAUSE = 10000000 };

static void pause_once(struct pause *pause)
{
    if (pause->nanoseconds < FIRST_PAUSE)
        pause->nanoseconds += FIRST_PAUSE / 50;
    else
        nanosleep(&(struct timespec){0, pause->nanoseconds}, NULL);
    if (pause->nanoseconds >= FIRST_PAUSE && pause->nanoseconds < LONGEST_PAUSE)
        pause->nanoseconds += pause->nanoseconds / 8;
}

static int wait_for(const struct gptl_found_mpi *mpi, union gptl_found_handle *request)
{
    struct pause pause = {0};
    int done = 0, rc;
    while (!(rc = mpi->Test(request, &done, mpi->status_ignore)) && !done)
        pause_once(&pause);
    return rc;
}

static void wait_for_all(void *context)
{
    const struct link *link = context;
    union gptl_found_handle request;
    uintptr_t comm = gptl_found_word(link->mpi, &link->comm);
    if (!link->mpi->Ibarrier)
        link->mpi->Barrier(comm);
    else if (link->mpi->Ibarrier(comm, &request) == 0)
        wait_for(link->mpi, &request);
}

/* ---- Messages -------------------------------------------------------------------------------- */

/*
 * Large messages are split, because a count is an int and many networks have problems with gigabyte
 * counts. The first part contains the total size and the first bytes.
 */
struct first {
    uint64_t size;
    char bytes[4096 - sizeof(uint64_t)];
};

enum { PART = 1 << 20 };

static int send_part(const struct link *link, int to, const void *bytes, size_t size)
{
    union gptl_found_handle request;
    int rc = link->mpi->Isend(bytes, (int)size, link->mpi->byte, to, 0,
                              gptl_found_word(link->mpi, &link->comm), &request);
    return rc ? rc : wait_for(link->mpi, &request);
}

static int receive_part(const struct link *link, int from, void *bytes, size_t size)
{
    union gptl_found_handle request;
    int rc = link->mpi->Irecv(bytes, (int)size, link->mpi->byte, from, 0,
                              gptl_found_word(link->mpi, &link->comm), &request);
    return rc ? rc : wait_for(link->mpi, &request);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int send_message(void *context, int to, const void *bytes, size_t size)
{
    struct first first = {.size = size};
    size_t done = smaller(size, sizeof first.bytes);
    if (done > 0)
        memcpy(first.bytes, bytes, done);
    if (send_part(context, to, &first, offsetof(struct first, bytes) + done))
        return -1;
    for (size_t part; done < size; done += part) {
        part = smaller(size - done, PART);
        if (send_part(context, to, (const char *)bytes + done, part))
            return -1;
    }
    return 0;
}

/*
 * Receive and discard the rest of a message that exceeds memory; the truncation errors are ignored.
 */
static void drop(const struct link *link, int from, size_t size)
{
    char nothing;
    for (size_t part; size > 0; size -= part) {
        part = smaller(size, PART);
        receive_part(link, from, &nothing, 0);
    }
}

static int receive_message(void *context, int from, void **bytes, size_t *size)
{
    struct first first;
    *bytes = NULL;
    if (receive_part(context, from, &first, sizeof first))
        return -1;
    *size = (size_t)first.size;
    size_t done = smaller(*size, sizeof first.bytes);
    char *all = malloc(*size + 1);
    if (!all) {
        drop(context, from, *size - done);
        return -1;
    }
    memcpy(all, first.bytes, done);
    int rc = 0;
    for (size_t part; done < *size && rc == 0; done += part) {
        part = smaller(*size - done, PART);
        rc = receive_part(context, from, all + done, part);
    }
    if (rc) {
        free(all);
        return -1;
    }
    *bytes = all;
    return 0;
}

/* ---- Communicators --------------------------------------------------------------------------- */

static int copy_comm(const char *function, struct link *own, uintptr_t comm)
{
    const struct gptl_found_mpi *mpi = own->mpi;
    union gptl_found_handle request;
    int rc = mpi->Comm_idup ? mpi->Comm_idup(comm, &own->comm, &request)
                            : mpi->Comm_dup(comm, &own->comm);
    if (rc == 0 && mpi->Comm_idup)
        rc = wait_for(mpi, &request);
    if (rc)
        return gptl_core_error(function, "MPI cannot copy the communicator: error %d", rc);
    if (mpi->Comm_set_errhandler)
        mpi->Comm_set_errhandler(gptl_found_word(mpi, &own->comm), mpi->errors_return);
    return 0;
}

int gptl_ranks_with_transport(const char *function, uintptr_t comm, gptl_ranks_user *use,
                              void *argument)
{
    const char *why;
    struct link own = {.mpi = gptl_found_mpi(&why)};
    struct gptl_transport transport = {.context = &own,
                                       .send = send_message,
                                       .receive = receive_message,
                                       .wait_for_all = wait_for_all};
    int two_groups = 0;
    if (!own.mpi)
        return gptl_core_error(function, "%s", why);
    if (own.mpi->integers)
        comm = (unsigned)comm; /* the upper half of the register is undefined */
    if (comm == own.mpi->comm_null)
        return gptl_core_error(function, "the communicator is MPI_COMM_NULL");
    own.mpi->Comm_test_inter(comm, &two_groups);
    if (two_groups)
        return gptl_core_error(function,
                               "an intercommunicator has two groups: give it one of them, or what "
                               "MPI_Intercomm_merge makes");
    if (copy_comm(function, &own, comm))
        return -1;
    own.mpi->Comm_rank(gptl_found_word(own.mpi, &own.comm), &transport.rank);
    own.mpi->Comm_size(gptl_found_word(own.mpi, &own.comm), &transport.size);
    int result = use(&transport, argument);
    own.mpi->Comm_free(&own.comm);
    return result;
}
