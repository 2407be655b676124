/*
 * layouts.c WHAT: regions of known times on each rank, written in the layout that options or calls
 * select.
 *
 *   gptl8   timing.summary, and a file for each rank by GPTLpr
 *   cesm    names in quotes, and both in one file, model_timing_stats, which grows
 *   empty   the same without any region
 *
 * Rank R and thread T: "loop" once, (R + 1) * (1 + T / 2) seconds; "work" R + 1 times, a second
 * each, and once in "other" as well; "rec" in itself; "once" on the last rank only; "still_on" and
 * on rank 0 "again" are open, the latter after a call of 2 seconds. With MPI if it is available.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

#ifdef WITH_MPI
#include <gptlmpi.h>
#else
#include <gptl.h>
#endif

static int rank, size = 1;

static const char long_name[] =
    "a_name_that_is_longer_than_63_characters,_as_many_are_that_models_make_of_the_names_of_their_"
    "components,_of_their_grids_and_of_what_is_done_there_in_each_step_of_time";

static int loop(int thread)
{
    return GPTLstartstop_val("loop", (rank + 1) * (1 + thread / 2.0));
}

static sem_t measured, written;

/* Exists until reports are written. */
static void *second(void *rc)
{
    *(int *)rc = GPTLstart("still_on") || loop(1);
    sem_post(&measured);
    sem_wait(&written);
    return NULL;
}

static int measure(void)
{
    pthread_t thread;
    static int rc;
    int bad = GPTLstart("total");
    sem_init(&measured, 0, 0);
    sem_init(&written, 0, 0);
    for (int i = 0; i <= rank; i++)
        bad |= GPTLstartstop_val("work", 1);
    bad |= GPTLstart("other") | GPTLstartstop_val("work", 1) | GPTLstop("other");
    bad |= GPTLstart("rec") | GPTLstart("rec") | GPTLstop("rec") | GPTLstop("rec");
    bad |= GPTLstartstop_val("two words", 3) | GPTLstartstop_val(long_name, 4);
    if (rank == size - 1)
        bad |= GPTLstartstop_val("once", 5);
    bad |= loop(0);
    bad |= pthread_create(&thread, NULL, second, &rc) || sem_wait(&measured) || rc;
    bad |= GPTLstop("total") | GPTLstart("still_on");
    if (rank == 0)
        bad |= GPTLstartstop_val("again", 2) | GPTLstart("again");
    return bad;
}

static int summary(const char *file)
{
#ifdef WITH_MPI
    return GPTLpr_summary_file(MPI_COMM_WORLD, file);
#else
    (void)file;
    return 0;
#endif
}

int main(int argc, char **argv)
{
    int cesm = argc > 1 && strcmp(argv[1], "cesm") == 0, bad = 0;
#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#endif
    if (cesm)
        bad |= GPTLsetoption(GPTLdopr_quotes, 1);
    bad |= GPTLinitialize();
    if (argc < 2 || strcmp(argv[1], "empty") != 0)
        bad |= measure();
    if (cesm)
        bad |= GPTLprint_mode_query() != GPTLprint_write;
    bad |= summary(cesm ? "model_timing_stats" : "timing.summary");
    if (cesm && rank == 0)
        bad |= GPTLprint_mode_set(GPTLprint_append) || GPTLpr_file("model_timing_stats");
    if (!cesm)
        bad |= GPTLpr(rank);
    sem_post(&written);
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    if (bad)
        fprintf(stderr, "rank %d: a call failed\n", rank);
    return bad != 0;
}
