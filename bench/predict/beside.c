/*
 * beside.c - runs a command on one core while another core streams through memory, and only while
 * these two share a cache. The host maps virtual processors to cores of one cache, and some seconds
 * later to cores of two; then the streaming core does not affect the other one.
 *
 *     beside CORE OTHER                      prints a cache line's round-trip time in the fastest state
 *     beside CORE OTHER SECONDS COMMAND ...  runs COMMAND while a round trip takes about SECONDS, and
 *                                            stops it otherwise
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 64, PIECE = 4096, NUMBERS = 11 << 20 }; /* bytes of a piece, of each array */
static const double NAP = 0.01, LOAD = 0.03, EACH = 0.02, SEARCH = 3, PATIENCE = 240; /* seconds */
/* Round-trip times of different states differ by more than this factor. */
static const double SAME = 1.75;

enum doing { STREAMING, ANSWERING, NAPPING };
static _Alignas(LINE) _Atomic enum doing doing;
static _Alignas(LINE) _Atomic bool asked;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void nap(double seconds)
{
    struct timespec t = {0, (long)(1e9 * seconds)};
    nanosleep(&t, NULL);
}

static void stay_on(int core)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) {
        perror("beside: a core");
        exit(2);
    }
}

/* ---- The other core ------------------------------------------------------------------------- */

static void answer(void)
{
    while (atomic_load(&doing) == ANSWERING)
        if (atomic_load_explicit(&asked, memory_order_acquire))
            atomic_store_explicit(&asked, false, memory_order_release);
}

static void *stream(void *core)
{
    stay_on(*(int *)core);
    double *a = malloc(3 * (size_t)NUMBERS * sizeof *a), *b = a + NUMBERS, *c = b + NUMBERS;
    if (!a)
        exit(2);
    for (size_t i = 0; i < 3 * (size_t)NUMBERS; i++)
        a[i] = 1;
    for (size_t at = 0;; at = (at + PIECE) % NUMBERS) {
        for (size_t i = at; i < at + PIECE; i++)
            a[i] = b[i] + 3.0 * c[i];
        __asm__ volatile("" : : "r"(a) : "memory");
        enum doing now_doing = atomic_load(&doing);
        if (now_doing == ANSWERING)
            answer();
        else if (now_doing == NAPPING)
            nap(NAP);
    }
    return NULL;
}

/* ---- This one ------------------------------------------------------------------------------- */

static double round_trip(void)
{
    enum { TRIPS = 60 };
    double least = 1;
    atomic_store(&doing, ANSWERING);
    for (int i = 0; i < 4; i++) {
        double from = now();
        for (int k = 0; k < TRIPS; k++) {
            atomic_store(&asked, true);
            while (atomic_load(&asked))
                ;
        }
        double seconds = (now() - from) / TRIPS;
        least = seconds < least ? seconds : least;
    }
    atomic_store(&doing, STREAMING);
    return least;
}

/* Hosts move processors when they wake up and while they are busy. */
static void change(void)
{
    atomic_store(&doing, NAPPING);
    nap(NAP);
    atomic_store(&doing, STREAMING);
    for (double from = now(); now() < from + LOAD;)
        ;
}

static double find(void)
{
    double least = round_trip();
    for (double from = now(); now() < from + SEARCH;) {
        change();
        double seconds = round_trip();
        least = seconds < least ? seconds : least;
    }
    return least;
}

static pid_t start(char **command)
{
    pid_t child = fork();
    if (child == 0) {
        /* A stopped process must not outlive the one that would continue it. */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execvp(command[0], command);
        perror(command[0]);
        _exit(127);
    }
    return child;
}

/* Wait until the round trip takes its time in the fastest state, or the time limit is reached. */
static void wait_for(double usual, double *patience)
{
    while (*patience > 0 && round_trip() > SAME * usual) {
        change();
        *patience -= NAP + LOAD;
    }
}

static int run(char **command, double usual)
{
    double patience = PATIENCE;
    int status, changes = 0;
    wait_for(usual, &patience);
    pid_t child = start(command);
    while (waitpid(child, &status, WNOHANG) == 0) {
        nap(EACH);
        if (patience <= 0 || round_trip() <= SAME * usual)
            continue;
        kill(child, SIGSTOP);
        wait_for(usual, &patience);
        kill(child, SIGCONT);
        changes++;
    }
    fprintf(stderr, "beside: %.0f s waited, %d changes%s\n", PATIENCE - patience, changes,
            patience > 0 ? "" : "; that was too long, the rest was as it was");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    int other = atoi(argv[2]);
    pthread_t thread;
    stay_on(atoi(argv[1]));
    if (pthread_create(&thread, NULL, stream, &other) != 0)
        return 2;
    nap(0.2); /* until its arrays are allocated */
    if (argc == 3) {
        printf("%.3g\n", find());
        return 0;
    }
    return argc > 4 ? run(argv + 4, atof(argv[3])) : 2;
}
