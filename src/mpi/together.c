/*
 * together.c - whether all ranks of a job have this library. A job of several programs, or a script
 * that profiles rank 0 only, has ranks that know nothing of it. Those take part in nothing, and no
 * message may go to them: a receive from any source with any tag would take it.
 *
 * So ranks tell each other by names that they publish with MPI's name service, which is the launcher's
 * and needs nobody else. They are a binomial tree. A rank publishes that it is HERE; its parent looks for
 * that, and publishes whether it was FOUND. Both know then that the other one is within MPI_Init and
 * waits, and send each other messages: up goes whether all below are together, down the answer of rank
 * 0. A rank that waits too long for its parent says that it is GONE, and expects nothing any more. So
 * nobody waits for ever, whoever is missing and whoever is late.
 */
#include "config.h"

#include "mpi/together.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TAG = 32749 }; /* below the largest that each MPI allows */

/*
 * All ranks leave MPI's initialization at about the same time. Only jobs with ranks that lack the library
 * wait so long. One launcher answers all, about four requests a rank of 0.1 ms or less.
 */
static const double patience = 5, patience_for_each = 1e-3;

struct job {
    int rank, size;
    char name[128];  /* what names begin with */
    bool no_service; /* names cannot be published here */
    double patience; /* seconds */
};

/* ---- Names --------------------------------------------------------------------------------- */

/* Some launchers serve several jobs. */
static void name_job(struct job *job)
{
    static const char *const keys[] = {"PMIX_NAMESPACE", "SLURM_JOB_ID", "SLURM_STEP_ID"};
    size_t used = (size_t)snprintf(job->name, sizeof job->name, "gptl");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *value = getenv(keys[i]);
        if (value)
            used += (size_t)snprintf(job->name + used, sizeof job->name - used, ".%.30s", value);
    }
    /* Launchers' protocols have words between blanks and signs. */
    for (char *c = job->name; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_", *c))
            *c = '_';
}

static void publish(struct job *job, const char *what, int rank, const char *value)
{
    char name[192], port[MPI_MAX_PORT_NAME] = "";
    snprintf(name, sizeof name, "%s.%s.%d", job->name, what, rank);
    snprintf(port, sizeof port, "%s", value);
    if (gptl_mpi_pmpi.MPI_Publish_name(name, MPI_INFO_NULL, port) != MPI_SUCCESS)
        job->no_service = true;
}

/* The first character of what was published; NUL: nothing was. */
static char look_up(const struct job *job, const char *what, int rank)
{
    char name[192], port[MPI_MAX_PORT_NAME + 1] = "";
    snprintf(name, sizeof name, "%s.%s.%d", job->name, what, rank);
    return gptl_mpi_pmpi.MPI_Lookup_name(name, MPI_INFO_NULL, port) == MPI_SUCCESS ? port[0] : '\0';
}

/* ---- Waiting ------------------------------------------------------------------------------- */

struct wait {
    double until;
    long pause; /* nanoseconds */
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static struct wait wait_for(double seconds)
{
    return (struct wait){now() + seconds, 50000};
}

/* A while passes, longer each time. False: it has been long enough. */
static bool wait_more(struct wait *wait)
{
    nanosleep(&(struct timespec){0, wait->pause}, NULL);
    if (wait->pause < 50000000)
        wait->pause *= 2;
    return now() < wait->until;
}

/* ---- Parents and children ------------------------------------------------------------------ */

static void send_word(int to, int word)
{
    gptl_mpi_pmpi.MPI_Send(&word, 1, MPI_INT, to, TAG, MPI_COMM_WORLD);
}

/* What FROM says, which has been found; false also when it is gone. */
static bool receive_word(const struct job *job, int from)
{
    int there = 0, word = 0;
    struct wait wait = wait_for(0);
    for (int i = 0;; i++) {
        gptl_mpi_pmpi.MPI_Iprobe(from, TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        if (there)
            break;
        if (i > 10 && from > job->rank && look_up(job, "gone", from))
            return false;
        wait_more(&wait);
    }
    gptl_mpi_pmpi.MPI_Recv(&word, 1, MPI_INT, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return word;
}

/* Which of ALL children, as bits, are there. */
static unsigned find_children(struct job *job, unsigned all)
{
    unsigned rank = (unsigned)job->rank, found = 0;
    struct wait wait = wait_for(job->patience);
    do
        for (unsigned bit = 1; bit <= all; bit <<= 1)
            if (all & ~found & bit && look_up(job, "here", (int)(rank + bit))) {
                publish(job, "found", (int)(rank + bit), "yes");
                found |= bit;
            }
    while (found != all && wait_more(&wait));
    for (unsigned bit = 1; bit <= all; bit <<= 1)
        if (all & ~found & bit)
            publish(job, "found", (int)(rank + bit), "no");
    return found;
}

/* Whether the parent has found this rank, and waits for what it says. */
static bool is_found(struct job *job)
{
    struct wait wait = wait_for(2 * job->patience);
    char answer;
    while (!(answer = look_up(job, "found", job->rank)))
        if (!wait_more(&wait)) {
            publish(job, "gone", job->rank, "yes");
            return false;
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

/* ---- All ----------------------------------------------------------------------------------- */

/* Whether no lower rank is here, as far as it is worth looking. */
static bool is_first(const struct job *job)
{
    enum { MOST = 100 };
    for (int i = 0; i < job->rank && i < MOST; i++)
        if (look_up(job, "here", i))
            return false;
    return job->rank <= MOST;
}

bool gptl_mpi_together(bool wanted, bool asserted)
{
    struct job job = {0};
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL, of_self = MPI_ERRHANDLER_NULL;
    MPI_Comm parent = MPI_COMM_NULL;
    gptl_mpi_pmpi.MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    gptl_mpi_pmpi.MPI_Comm_size(MPI_COMM_WORLD, &job.size);
    gptl_mpi_pmpi.MPI_Comm_get_parent(&parent);
    if (!wanted || parent != MPI_COMM_NULL) /* its ranks would have the names of the first job's */
        return false;
    if (job.size == 1)
        return true;
    name_job(&job);
    job.patience = patience + patience_for_each * job.size;
    gptl_mpi_pmpi.MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    gptl_mpi_pmpi.MPI_Comm_get_errhandler(MPI_COMM_SELF, &of_self);
    gptl_mpi_pmpi.MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    gptl_mpi_pmpi.MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    publish(&job, "here", job.rank, "yes");
    bool together = job.no_service ? asserted : ask_all(&job);
    if (!together && is_first(&job))
        gptl_core_warn("", job.no_service
                               ? "the launcher has no name service, so it is not known whether all "
                                 "ranks have this library: each one reports by itself, unless "
                                 "GPTL_OPTIONS=output=merged says that they have it"
                               : "not all ranks of this job have this library, or the same option "
                                 "output: each one that has reports by itself");
    gptl_mpi_pmpi.MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    gptl_mpi_pmpi.MPI_Comm_set_errhandler(MPI_COMM_SELF, of_self);
    gptl_mpi_pmpi.MPI_Errhandler_free(&handler);
    gptl_mpi_pmpi.MPI_Errhandler_free(&of_self);
    return together;
}
