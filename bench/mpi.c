/*
 * mpi.c - the time that the MPI libraries add to the shortest calls of MPI, on MPI_COMM_SELF,
 * compared with two readings of the clock. The bare call is the PMPI entry point in the same run;
 * both alternate.
 *
 * There is one program per family of MPI, linked with the library; it needs no launcher. It runs
 * itself again for threads, because requests need no atomic instructions without threads.
 *
 * In MPI alone, two threads are slower than one, because one lock protects all of MPI. So rows show
 * this, and the library's time if an empty function replaces MPI's.
 */
#include "bench.h"

#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <gptl.h>

enum { N = 8 };

/* Arguments of a thread's calls. */
struct own {
    MPI_Comm comm;
    int out[N], in[N];
};

/* ---- Works --------------------------------------------------------------------------------- */

#define WORK(name, body)                                                                           \
    static void run_##name(void *arg, long rounds)                                                 \
    {                                                                                              \
        struct own *own = arg;                                                                     \
        MPI_Request r = MPI_REQUEST_NULL;                                                          \
        int flag = 0;                                                                              \
        for (long i = 0; i < rounds; i++) {                                                        \
            body;                                                                                  \
        }                                                                                          \
        (void)r;                                                                                   \
        (void)flag;                                                                                \
    }

#define IPROBE(P) P##MPI_Iprobe(0, 1, own->comm, &flag, MPI_STATUS_IGNORE)
#define ALLREDUCE(P) P##MPI_Allreduce(own->out, own->in, N, MPI_INT, MPI_SUM, own->comm)
#define IRECV(P) P##MPI_Irecv(own->in, N, MPI_INT, 0, 1, own->comm, &r)
#define SEND(P) P##MPI_Send(own->out, N, MPI_INT, 0, 1, own->comm)
#define WAIT(P) P##MPI_Wait(&r, MPI_STATUS_IGNORE)

WORK(iprobe_bare, IPROBE(P))
WORK(iprobe, IPROBE())
WORK(allreduce_bare, ALLREDUCE(P))
WORK(allreduce, ALLREDUCE())
WORK(message_bare, IRECV(P); SEND(P); WAIT(P))
WORK(send, IRECV(P); SEND(); WAIT(P))
WORK(irecv, IRECV(); SEND(P); WAIT(P))
WORK(irecv_wait, IRECV(); SEND(P); WAIT())

static struct own self;
static struct bench_work clocks; /* two readings */

/*
 * The clock and three works; the time that the second adds to the first, and the third to the
 * second.
 */
static void measure(bench_run *bare, bench_run *one, bench_run *two, double *figures)
{
    struct bench_work work[4] = {clocks,
                                 {.run = bare, .arg = &self, .pairs = 1},
                                 {.run = one, .arg = &self, .pairs = 1},
                                 {.run = two ? two : one, .arg = &self, .pairs = 1}};
    bench_compare(work, two ? 4 : 3);
    figures[0] = work[0].ns;
    figures[1] = work[2].ns - work[1].ns;
    figures[2] = work[3].ns - work[2].ns;
}

static void show(const char *what, double floor, double added, const char *target)
{
    char work[96];
    snprintf(work, sizeof work, "%s: %s, added", BENCH_MPI, what);
    bench_row(work, floor, added, target);
}

static void measure_all(void)
{
    double f[3];
    measure(run_iprobe_bare, run_iprobe, NULL, f);
    show("MPI_Iprobe", f[0], f[1], "<= 1.5");
    measure(run_message_bare, run_send, NULL, f);
    show("MPI_Send", f[0], f[1], "<= 1.5");
    measure(run_message_bare, run_irecv, run_irecv_wait, f);
    show("MPI_Irecv", f[0], f[1], "<= 1.5");
    show("MPI_Wait", f[0], f[2], "<= 1.5");
    measure(run_allreduce_bare, run_allreduce, NULL, f);
    show("MPI_Allreduce", f[0], f[1], "<= 1.5");
    MPI_Pcontrol(0);
    measure(run_iprobe_bare, run_iprobe, NULL, f);
    show("MPI_Iprobe, stopped", f[0], f[1], "<= 5 ns");
    measure(run_message_bare, run_irecv, run_irecv_wait, f);
    show("MPI_Irecv, stopped", f[0], f[1], "<= 5 ns");
    show("MPI_Wait, stopped", f[0], f[2], "<= 5 ns");
}

/* ---- Two threads --------------------------------------------------------------------------- */

static pthread_barrier_t together;
enum { ROUNDS = 200000, REPEATS = 5 };

struct twin {
    int nth;
    bench_run *run;
    struct own own;
    double seconds;
};

/* CPU time of this thread: others may occupy the core for a while. */
static double own_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/*
 * These functions precede MPI's, for bare calls as well as for the library's: inlined into bare
 * calls, they would save a call there. Requests are fictitious, one per thread.
 */
static bool is_without_mpi;
static int (*next_irecv)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
static int (*next_wait)(MPI_Request *, MPI_Status *);
static __thread MPI_Request made_up;

#define BEFORE_MPI __attribute__((visibility("default"), noinline))

BEFORE_MPI int PMPI_Irecv(void *buffer, int count, MPI_Datatype type, int source, int tag,
                          MPI_Comm comm, MPI_Request *request)
{
    if (!is_without_mpi)
        return next_irecv(buffer, count, type, source, tag, comm, request);
    *request = made_up;
    return MPI_SUCCESS;
}

BEFORE_MPI int PMPI_Wait(MPI_Request *request, MPI_Status *status)
{
    if (!is_without_mpi)
        return next_wait(request, status);
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

static void find_mpi(void)
{
    *(void **)&next_irecv = dlsym(RTLD_NEXT, "PMPI_Irecv");
    *(void **)&next_wait = dlsym(RTLD_NEXT, "PMPI_Wait");
    if (!next_irecv || !next_wait)
        bench_stop(1, "PMPI_Irecv and PMPI_Wait are not found");
}

WORK(made_up_bare, IRECV(P); WAIT(P))
WORK(made_up, IRECV(); WAIT())

static void *run_twin(void *arg)
{
    struct twin *twin = arg;
    bench_pin(twin->nth);
    made_up = (MPI_Request)(intptr_t)(0x10000 + 0x1000 * twin->nth);
    twin->run(&twin->own, ROUNDS / 10);
    pthread_barrier_wait(&together);
    double start = own_seconds();
    twin->run(&twin->own, ROUNDS);
    twin->seconds = own_seconds() - start;
    return NULL;
}

/* Return nanoseconds per round of THREADS concurrent threads. */
static double time_twins(bench_run *run, int threads)
{
    double best = 1e9;
    static struct twin twin[2];
    pthread_t id[2];
    for (int k = 0; k < REPEATS; k++) {
        pthread_barrier_init(&together, NULL, (unsigned)threads);
        for (int i = 0; i < threads; i++) {
            if (!twin[i].run)
                PMPI_Comm_dup(MPI_COMM_SELF, &twin[i].own.comm);
            twin[i].nth = i;
            twin[i].run = run;
            pthread_create(&id[i], NULL, run_twin, &twin[i]);
        }
        double longest = 0;
        for (int i = 0; i < threads; i++) {
            pthread_join(id[i], NULL);
            if (twin[i].seconds > longest)
                longest = twin[i].seconds;
        }
        if (longest < best)
            best = longest;
        pthread_barrier_destroy(&together);
    }
    return best / ROUNDS * 1e9;
}

/* The same for one thread and for two. */
static void show_twins(const char *what, double floor, bench_run *bare, bench_run *with)
{
    for (int n = 1; n <= 2; n++) {
        char work[64];
        const char *threads = n == 1 ? "1 thread" : "2 threads";
        double before = time_twins(bare, n), after = time_twins(with, n);
        snprintf(work, sizeof work, "%s: %s, bare, %s", BENCH_MPI, what, threads);
        bench_row(work, floor, before, "");
        snprintf(work, sizeof work, "%s, %s", what, threads);
        show(work, floor, after - before, "");
    }
}

static void measure_threads(void)
{
    struct bench_work works[2] = {clocks, clocks};
    bench_compare(works, 2);
    if (bench_pin(1)) {
        printf("# mpi: two threads: not measured on one core\n");
        return;
    }
    show_twins("Irecv+Wait", works[0].ns, run_message_bare, run_irecv_wait);
    is_without_mpi = true;
    show_twins("Irecv+Wait, no MPI", works[0].ns, run_made_up_bare, run_made_up);
}

static void begin(int level)
{
    int provided;
    if (MPI_Init_thread(NULL, NULL, level, &provided) || provided < level)
        bench_stop(77, "this MPI gives no such threads");
    self.comm = MPI_COMM_SELF;
    clocks = bench_library(NULL);
}

/*
 * MPI can be initialized once per process. Do it before pinning, because MPI's child processes
 * would inherit the pinning.
 */
static void run_threads_apart(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        execl("/proc/self/exe", "mpi", "threads", (char *)NULL);
        _exit(1);
    }
    if (pid > 0)
        waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
    (void)argv;
    find_mpi();
    if (argc == 1)
        run_threads_apart();
    bench_open();
    begin(argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
    if (argc > 1)
        measure_threads();
    else
        measure_all();
    bench_close();
}
