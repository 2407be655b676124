/*
 * together.c - the handshake: determines whether all ranks of a job have this library. In a job of
 * several programs, or with a script that profiles only rank 0, some ranks do not have it. Those
 * ranks take part in nothing, and must not be sent messages: a receive from any source with any tag
 * would match them.
 *
 * Therefore ranks communicate by names published with MPI's name service, which is part of the
 * launcher and involves no other rank. They form a binomial tree. A rank publishes that it is HERE;
 * its parent looks this name up, and publishes that it was FOUND; the rank publishes an ACK, and
 * the parent whether they GO on. Then both know that the other one is within MPI_Init and waits,
 * and they exchange messages: upward whether the subtree is complete, downward the answer of rank
 * 0. A rank that waits too long for its parent publishes that it is GONE, and expects nothing
 * further. So no rank waits forever, whichever ranks are missing or late.
 *
 * A name server may serve several jobs, and may keep names of an earlier job. Therefore each rank
 * has a token, a random number: HERE contains the rank's token, FOUND the rank's and the parent's
 * token, ACK the parent's token, GO and GONE the rank's. A name without the right token is stale,
 * and ignored.
 */
#include "config.h"

#include "mpi/together.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mpi/name_server.h"

enum { TAG = 32749 }; /* below the upper bound of every MPI */
enum { TOKEN_SIZE = 24, CHILDREN = 31 };

/*
 * Timeouts in seconds. All ranks leave MPI's initialization at about the same time, so only jobs
 * with ranks that lack the library wait this long. One launcher answers all requests: about four
 * per rank, 0.1 ms each or less.
 */
static const double patience = 5, patience_for_each = 1e-3;

struct job {
    int rank, size;
    char name[128]; /* prefix of published names */
    char token[TOKEN_SIZE];
    bool no_service;                 /* names cannot be published here */
    double patience;                 /* seconds */
    char seen[CHILDREN][TOKEN_SIZE]; /* by child: token of its latest HERE */
};

/* ---- Names ----------------------------------------------------------------------------------- */

/* Build the prefix from the job's identity, because some launchers serve several jobs. */
static void name_job(struct job *job)
{
    static const char *const keys[] = {"PMIX_NAMESPACE", "SLURM_JOB_ID", "SLURM_STEP_ID"};
    size_t used = (size_t)snprintf(job->name, sizeof job->name, "gptl");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *value = getenv(keys[i]);
        if (value)
            used += (size_t)snprintf(job->name + used, sizeof job->name - used, ".%.30s", value);
    }
    /* launcher protocols use blanks and punctuation as separators */
    for (char *c = job->name; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_", *c))
            *c = '_';
}

static void make_token(struct job *job)
{
    snprintf(job->token, sizeof job->token, "%x-%llx", (unsigned)getpid(),
             (unsigned long long)gptl_core_read_systime(CLOCK_REALTIME));
}

/*
 * Unpublish a name. MPICH's service keeps the names of a finished job, and may hold a name several
 * times.
 */
static void unpublish(const struct job *job, const char *what, int rank)
{
#ifndef OMPI_MAJOR_VERSION
    enum { MOST = 100 };
    char name[192];
    snprintf(name, sizeof name, "%s.%s.%d", job->name, what, rank);
    for (int i = 0; i < MOST; i++)
        if (gptl_mpi_pmpi.MPI_Unpublish_name(name, MPI_INFO_NULL, "") != MPI_SUCCESS)
            break;
#else
    (void)job, (void)what, (void)rank; /* names contain the job's identity */
#endif
}

static void publish(struct job *job, const char *what, int rank, const char *value)
{
    char name[192], port[MPI_MAX_PORT_NAME] = "";
    snprintf(name, sizeof name, "%s.%s.%d", job->name, what, rank);
    snprintf(port, sizeof port, "%s", value);
    unpublish(job, what, rank);
    if (gptl_mpi_pmpi.MPI_Publish_name(name, MPI_INFO_NULL, port) != MPI_SUCCESS)
        job->no_service = true;
}

/* Return the published value, or "". */
static const char *look_up(const struct job *job, const char *what, int rank, char *port)
{
    char name[192];
    snprintf(name, sizeof name, "%s.%s.%d", job->name, what, rank);
    if (gptl_mpi_pmpi.MPI_Lookup_name(name, MPI_INFO_NULL, port) != MPI_SUCCESS)
        port[0] = '\0';
    return port;
}

/* ---- Waiting --------------------------------------------------------------------------------- */

struct wait {
    double until;
    long pause; /* nanoseconds */
};

static double now(void)
{
    return (double)gptl_core_read_systime(CLOCK_MONOTONIC) * 1e-9;
}

static struct wait wait_for(double seconds)
{
    return (struct wait){now() + seconds, 50000};
}

/* Sleep, longer each time. False after the timeout. */
static bool wait_more(struct wait *wait)
{
    nanosleep(&(struct timespec){0, wait->pause}, NULL);
    if (wait->pause < 50000000)
        wait->pause *= 2;
    return now() < wait->until;
}

/* ---- Parents and children -------------------------------------------------------------------- */

static void send_word(int to, int word)
{
    gptl_mpi_pmpi.MPI_Send(&word, 1, MPI_INT, to, TAG, MPI_COMM_WORLD);
}

static int child_of(const struct job *job, int rank)
{
    return __builtin_ctz((unsigned)(rank - job->rank));
}

/* Return whether child FROM, which was found, is gone. */
static bool is_gone(const struct job *job, int from)
{
    char port[MPI_MAX_PORT_NAME + 1];
    return strcmp(look_up(job, "gone", from, port), job->seen[child_of(job, from)]) == 0;
}

/* Receive the word of FROM, which was found; false also if it is gone. */
static bool receive_word(const struct job *job, int from)
{
    int there = 0, word = 0;
    struct wait wait = wait_for(0);
    for (int i = 0;; i++) {
        gptl_mpi_pmpi.MPI_Iprobe(from, TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        if (there)
            break;
        if (i > 10 && from > job->rank && is_gone(job, from))
            return false;
        wait_more(&wait);
    }
    gptl_mpi_pmpi.MPI_Recv(&word, 1, MPI_INT, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return word;
}

/* Answer child RANK; return whether it has acknowledged the answer. */
static bool is_there(struct job *job, int rank)
{
    char port[MPI_MAX_PORT_NAME + 1], found[2 * TOKEN_SIZE], *seen = job->seen[child_of(job, rank)];
    const char *here = look_up(job, "here", rank, port);
    if (*here && strncmp(here, seen, TOKEN_SIZE - 1) != 0) {
        snprintf(seen, TOKEN_SIZE, "%.*s", TOKEN_SIZE - 1, here);
        snprintf(found, sizeof found, "%s.%s", seen, job->token);
        publish(job, "found", rank, found);
    }
    return *seen && strcmp(look_up(job, "ack", rank, port), job->token) == 0;
}

static void answer(struct job *job, int rank, bool goes)
{
    char text[TOKEN_SIZE + 1];
    if (!job->seen[child_of(job, rank)][0])
        return;
    snprintf(text, sizeof text, "%c%s", goes ? 'y' : 'n', job->seen[child_of(job, rank)]);
    publish(job, "go", rank, text);
}

/* Return the children that are present, as a subset of the bits in ALL. */
static unsigned find_children(struct job *job, unsigned all)
{
    unsigned rank = (unsigned)job->rank, found = 0;
    struct wait wait = wait_for(job->patience);
    do
        for (unsigned bit = 1; bit <= all; bit <<= 1)
            if (all & ~found & bit && is_there(job, (int)(rank + bit))) {
                answer(job, (int)(rank + bit), true);
                found |= bit;
            }
    while (found != all && wait_more(&wait));
    for (unsigned bit = 1; bit <= all; bit <<= 1)
        if (all & ~found & bit)
            answer(job, (int)(rank + bit), false);
    return found;
}

/* Return the parent's answer to this rank; NUL if it has not answered. */
static char answer_of_parent(const struct job *job)
{
    char port[MPI_MAX_PORT_NAME + 1];
    const char *go = look_up(job, "go", job->rank, port);
    return *go && strcmp(go + 1, job->token) == 0 ? *go : '\0';
}

/* Acknowledge that the parent found this rank, once per token of a parent. */
static void acknowledge(struct job *job, char *parent)
{
    char port[MPI_MAX_PORT_NAME + 1];
    const char *found = look_up(job, "found", job->rank, port);
    size_t length = strlen(job->token);
    if (strncmp(found, job->token, length) != 0 || found[length] != '.' ||
        strcmp(found + length + 1, parent) == 0)
        return;
    snprintf(parent, TOKEN_SIZE, "%s", found + length + 1);
    publish(job, "ack", job->rank, parent);
}

/* Return whether the parent has found this rank, and waits for its word. */
static bool is_found(struct job *job)
{
    struct wait wait = wait_for(2 * job->patience);
    char parent[TOKEN_SIZE] = "", answer;
    while (!(answer = answer_of_parent(job))) {
        acknowledge(job, parent);
        if (!wait_more(&wait)) {
            publish(job, "gone", job->rank, job->token);
            return false;
        }
    }
    return answer == 'y';
}

static bool ask_all(struct job *job)
{
    unsigned rank = (unsigned)job->rank, size = (unsigned)job->size, mine = 1, all = 0;
    while (mine < size && !(rank & mine))
        mine <<= 1;
    for (unsigned bit = 1; bit < mine && bit < size - rank; bit <<= 1)
        all |= bit;
    unsigned found = find_children(job, all);
    bool together = found == all;
    for (unsigned bit = 1; bit <= all; bit <<= 1)
        if (found & bit)
            together = receive_word(job, (int)(rank + bit)) && together;
    if (rank > 0) {
        int parent = (int)(rank - mine);
        bool heard = is_found(job);
        if (heard) {
            send_word(parent, together);
            together = receive_word(job, parent);
        } else {
            together = false;
        }
    }
    for (unsigned bit = 1; bit <= all; bit <<= 1)
        if (found & bit)
            send_word((int)(rank + bit), together);
    return together;
}

/* ---- Whole handshake ------------------------------------------------------------------------- */

/* Return whether no lower rank is present, within a limited search. */
static bool is_first(const struct job *job)
{
    enum { MOST = 100 };
    char port[MPI_MAX_PORT_NAME + 1];
    for (int i = 0; i < job->rank && i < MOST; i++)
        if (*look_up(job, "here", i, port))
            return false;
    return job->rank <= MOST;
}

/* Saved error handlers, while errors of the name service are returned. */
struct handlers {
    MPI_Errhandler of_world, of_self;
};

static struct handlers return_errors(void)
{
    struct handlers handlers;
    gptl_mpi_pmpi.MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handlers.of_world);
    gptl_mpi_pmpi.MPI_Comm_get_errhandler(MPI_COMM_SELF, &handlers.of_self);
    gptl_mpi_pmpi.MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    gptl_mpi_pmpi.MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    return handlers;
}

static void restore(struct handlers handlers)
{
    gptl_mpi_pmpi.MPI_Comm_set_errhandler(MPI_COMM_WORLD, handlers.of_world);
    gptl_mpi_pmpi.MPI_Comm_set_errhandler(MPI_COMM_SELF, handlers.of_self);
    gptl_mpi_pmpi.MPI_Errhandler_free(&handlers.of_world);
    gptl_mpi_pmpi.MPI_Errhandler_free(&handlers.of_self);
}

static bool may_publish(void)
{
#ifdef OMPI_MAJOR_VERSION
    return true;
#else
    return !gptl_mpi_name_server_is_down();
#endif
}

static struct job job;
static bool has_published;

bool gptl_mpi_together(bool wanted, bool asserted)
{
    MPI_Comm parent = MPI_COMM_NULL;
    gptl_mpi_pmpi.MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    gptl_mpi_pmpi.MPI_Comm_size(MPI_COMM_WORLD, &job.size);
    gptl_mpi_pmpi.MPI_Comm_get_parent(&parent);
    /* its ranks would have the same names as the first job's */
    if (!wanted || parent != MPI_COMM_NULL)
        return false;
    if (job.size == 1)
        return true;
    name_job(&job);
    make_token(&job);
    job.patience = patience + patience_for_each * job.size;
    job.no_service = !may_publish();
    has_published = !job.no_service;
    struct handlers handlers = return_errors();
    if (!job.no_service)
        publish(&job, "here", job.rank, job.token);
    bool together = job.no_service ? asserted : ask_all(&job);
    if (!together && (job.no_service ? job.rank == 0 : is_first(&job)))
        gptl_core_warn("", job.no_service
                               ? "the launcher has no name service, so it is not known whether all "
                                 "ranks have this library: each one reports by itself, unless "
                                 "GPTL_OPTIONS=output=merged says that they have it"
                               : "not all ranks of this job have this library, or the same option "
                                 "output: each one that has reports by itself");
    restore(handlers);
    return together;
}

void gptl_mpi_together_end(void)
{
    if (!has_published)
        return;
    struct handlers handlers = return_errors();
    unpublish(&job, "here", job.rank);
    unpublish(&job, "ack", job.rank);
    unpublish(&job, "gone", job.rank);
    for (int child = 0; child < CHILDREN; child++)
        if (job.seen[child][0]) {
            unpublish(&job, "found", job.rank + (1 << child));
            unpublish(&job, "go", job.rank + (1 << child));
        }
    restore(handlers);
    has_published = false;
}
