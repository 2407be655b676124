/*
 * probes.c - a host with probes, such as a server or a client: `probes WHAT [NUMBER]`. It checks
 * errno after each of them.
 */
#include "gptl_probe.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8 };

static long number;

static void check(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "probes: %s\n", what);
        _exit(1);
    }
}

static void pair(int layer)
{
    errno = 123;
    GPTLprobe_begin(layer, GPTL_OP_WRITE);
    GPTLprobe_bytes(layer, 10);
    GPTLprobe_end(layer);
    check(errno == 123, "errno was changed");
}

static void pairs(void)
{
    GPTLprobe_begin(GPTL_LAYER_MPI, GPTL_OP_WRITE);
    GPTLprobe_file(GPTL_LAYER_MPI, "/some/file");
    for (long i = 0; i < number; i++)
        pair(GPTL_LAYER_CLIENT);
    GPTLprobe_end(GPTL_LAYER_MPI);
}

/* The id arrives as text; each begins a span that another one ends. */
static char hint[GPTL_CALLID_TEXT];
static char requests[THREADS * 1000];

static void *begin_many(void *arg)
{
    for (long i = 0; i < number; i++) {
        char *request = &requests[(long)(intptr_t)arg * 1000 + i];
        GPTLprobe_begin_key_from(GPTL_LAYER_SERVER, GPTL_OP_WRITE, request, hint, 100, i);
        GPTLprobe_begin_key_under(GPTL_LAYER_DISK, GPTL_OP_WRITE, request, GPTL_LAYER_SERVER,
                                  request, 100, i);
    }
    return NULL;
}

static void *end_many(void *arg)
{
    for (long i = 0; i < number; i++) {
        char *request = &requests[(long)(intptr_t)arg * 1000 + i];
        GPTLprobe_end_key(GPTL_LAYER_DISK, request);
        GPTLprobe_end_key(GPTL_LAYER_SERVER, request);
    }
    return NULL;
}

static void in_threads(void *(*run)(void *))
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, run, (void *)(intptr_t)i) == 0, "no thread");
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void keyed(void)
{
    GPTLprobe_begin(GPTL_LAYER_MPI, GPTL_OP_WRITE);
    GPTLprobe_id_text(GPTLprobe_current(), hint);
    check(strcmp(hint, GPTLprobe_current_text()) == 0, "two texts of one id");
    in_threads(begin_many);
    in_threads(end_many);
    GPTLprobe_end(GPTL_LAYER_MPI);
}

static void *one_pair(void *arg)
{
    pair(GPTL_LAYER_POSIX);
    return arg;
}

/* Many consecutive threads: their chunks are reused. */
static void short_threads(void)
{
    for (long i = 0; i < number; i++) {
        pthread_t thread;
        check(pthread_create(&thread, NULL, one_pair, NULL) == 0, "no thread");
        pthread_join(thread, NULL);
    }
}

static void forked(void)
{
    GPTLprobe_begin(GPTL_LAYER_MPI, GPTL_OP_WRITE);
    pid_t pid = fork();
    if (pid == 0) {
        pair(GPTL_LAYER_CLIENT);
        GPTLprobe_end(GPTL_LAYER_MPI); /* its parent's */
        pair(GPTL_LAYER_CLIENT);
        exit(0);
    }
    int status;
    check(waitpid(pid, &status, 0) == pid && status == 0, "the child failed");
    GPTLprobe_end(GPTL_LAYER_MPI);
}

static void by_id(void)
{
    GPTLcallid none = {0, 0}, id = GPTLprobe_open(GPTL_LAYER_MPI, GPTL_OP_READ, none, -1, 5);
    GPTLcallid before = GPTLprobe_set_current(id);
    check(before.process == 0, "something was current");
    pair(GPTL_LAYER_CLIENT);
    GPTLprobe_set_current(before);
    pair(GPTL_LAYER_CLIENT);
    GPTLprobe_close(id, 77);
    char text[GPTL_CALLID_TEXT];
    GPTLcallid again = GPTLprobe_id_of(GPTLprobe_id_text(id, text));
    check(again.process == id.process && again.number == id.number, "an id and its text differ");
    static const char *const wrong[] = {"", "gptl1-", "hello",
                                        "gptl1-0000000000000001-000000000000000g"};
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        check(GPTLprobe_id_of(wrong[i]).process == 0, "what is no id is one");
}

/* Only below file calls, with bytes given at the end; the last end leaves one open. */
static void below(void)
{
    enum { COMM = GPTL_LAYER_COMM, SEND = GPTL_OP_SEND };
    check(!GPTLprobe_begin_below(GPTL_LAYER_MPI, GPTL_LAYER_ADIO, COMM, SEND), "below nothing");
    GPTLprobe_begin(GPTL_LAYER_ADIO, GPTL_OP_WRITE);
    check(GPTLprobe_begin_below(GPTL_LAYER_MPI, GPTL_LAYER_ADIO, COMM, SEND), "not below adio");
    check(!GPTLprobe_begin_below(GPTL_LAYER_MPI, GPTL_LAYER_ADIO, COMM, SEND), "below comm");
    GPTLprobe_end_with(COMM, 10);
    GPTLprobe_bytes(GPTL_LAYER_ADIO, 30);
    GPTLprobe_end_with(GPTL_LAYER_ADIO, 3);
    GPTLprobe_begin(GPTL_LAYER_MPI, GPTL_OP_READ);
    check(GPTLprobe_begin_below(GPTL_LAYER_MPI, GPTL_LAYER_ADIO, COMM, SEND), "not below mpi");
    GPTLprobe_end_with(GPTL_LAYER_MPI, -1); /* with its enclosing spans */
}

static void odd(void)
{
    GPTLprobe_end(GPTL_LAYER_MPI); /* no begin */
    GPTLprobe_begin(0, 1);         /* no layer */
    GPTLprobe_begin(99, 1);
    GPTLprobe_begin(-1, 1);
    GPTLprobe_file(GPTL_LAYER_MPI, "nothing is open");
    for (int i = 0; i < 100; i++) /* too deep */
        GPTLprobe_begin(GPTL_LAYER_MPI, GPTL_OP_WRITE);
    for (int i = 0; i < 100; i++)
        GPTLprobe_end(GPTL_LAYER_MPI);
    GPTLprobe_begin(GPTL_LAYER_MPI, GPTL_OP_WRITE);
    GPTLprobe_begin(GPTL_LAYER_CLIENT, GPTL_OP_WRITE); /* never ended */
    GPTLprobe_end(GPTL_LAYER_MPI);
    GPTLprobe_file(GPTL_LAYER_MPI, NULL);
}

static volatile sig_atomic_t handled;

static void handler(int signal)
{
    (void)signal;
    handled++;
    GPTLprobe_begin(GPTL_LAYER_DISK, GPTL_OP_WRITE);
    GPTLprobe_end(GPTL_LAYER_DISK);
}

static void *send_signals(void *arg)
{
    for (int i = 0; i < 20000; i++)
        pthread_kill(*(pthread_t *)arg, SIGUSR1);
    return NULL;
}

static void interrupted(void)
{
    pthread_t self = pthread_self(), other;
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
    check(pthread_create(&other, NULL, send_signals, &self) == 0, "no thread");
    handler(0);
    pairs();
    pthread_join(other, NULL);
    printf("%d\n", (int)handled);
}

/* As daemons do, and another file gets the number. */
static void closes_all(void)
{
    pair(GPTL_LAYER_CLIENT);
    for (int fd = 3; fd < 100; fd++)
        close(fd);
    FILE *file = fopen("mine", "w");
    check(file != NULL, "no file");
    check(chdir("/") == 0, "no /");
    pairs();
    check(fputs("mine\n", file) >= 0 && fclose(file) == 0, "cannot write");
}

static void killed(void)
{
    pairs();
    GPTLprobe_begin(GPTL_LAYER_MPI, GPTL_OP_WRITE);
    raise(SIGKILL);
}

/* ---- Work for what is under way elsewhere in the process -------------------------------------- */

static void tell(const char *file)
{
    GPTLspan span = {
        .layer = GPTL_LAYER_POSIX, .operation = GPTL_OP_WRITE, .bytes = 1, .offset = -1};
    span.file = GPTLprobe_name(GPTL_LAYER_POSIX, file);
    span.begin = GPTLprobe_clock();
    GPTLprobe_tell(&span);
}

static void *tell_in_thread(void *file)
{
    tell(file);
    GPTLprobe_begin(GPTL_LAYER_APP, GPTL_OP_OTHER); /* the span above MPI-IO did not cause it */
    tell(file);
    GPTLprobe_end(GPTL_LAYER_APP);
    return NULL;
}

static void in_thread(char *file)
{
    pthread_t thread;
    pthread_create(&thread, NULL, tell_in_thread, file);
    pthread_join(thread, NULL);
}

/*
 * On "one" there is one operation, then two, then one, then more than there are places, then none;
 * and again one, two, one and none, by one thread.
 */
static void under_way(void)
{
    enum { MANY = 100 };
    static char one[] = "one", other[] = "other";
    GPTLcallid many[MANY];
    GPTLspan span = {
        .layer = GPTL_LAYER_MPI, .operation = GPTL_OP_WRITE, .bytes = -1, .offset = -1};
    span.file = GPTLprobe_name(GPTL_LAYER_MPI, one);
    span.opening = 7;
    span.collective = 3;
    GPTLprobe_begin_span(&span);
    in_thread(one);   /* tied */
    in_thread(other); /* of their own */
    tell(one);        /* under the span as usual */
    GPTLcallid second = GPTLprobe_open_span(&span);
    in_thread(one); /* among several */
    GPTLprobe_close(second, 5);
    in_thread(one); /* tied */
    for (int i = 0; i < MANY; i++)
        many[i] = GPTLprobe_open_span(&span);
    in_thread(other); /* the files of operations without a place are unknown */
    for (int i = 0; i < MANY; i++)
        GPTLprobe_close(many[i], 0);
    in_thread(one); /* tied */
    GPTLprobe_end(GPTL_LAYER_MPI);
    in_thread(one); /* of their own */
    GPTLprobe_begin_span(&span);
    in_thread(one); /* tied */
    GPTLprobe_begin_span(&span);
    in_thread(one); /* among several */
    GPTLprobe_end(GPTL_LAYER_MPI);
    in_thread(one); /* tied */
    GPTLprobe_end(GPTL_LAYER_MPI);
    in_thread(one); /* of their own */
}

/* A program that repeatedly opens and closes files. */
static void sampled(void)
{
    for (long i = 0; i < number; i++)
        GPTLprobe_disk(GPTL_LAYER_MPI, ".");
    GPTLprobe_begin(GPTL_LAYER_MPI, GPTL_OP_CLOSE);
    GPTLprobe_end(GPTL_LAYER_MPI);
}

/* Spans of 0.1 s: before, open during, after, and in a thread that begins without one. */
static void *wait_in_span(void *unused)
{
    (void)unused;
    GPTLprobe_begin(GPTL_LAYER_CLIENT, GPTL_OP_WRITE);
    usleep(100000);
    GPTLprobe_end(GPTL_LAYER_CLIENT);
    return NULL;
}

static void without_counter(void)
{
    pthread_t thread;
    wait_in_span(NULL);
    GPTLprobe_begin(GPTL_LAYER_CLIENT, GPTL_OP_WRITE);
    usleep(50000);
    if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) != 0)
        _exit(77);
    usleep(50000);
    GPTLprobe_end(GPTL_LAYER_CLIENT);
    wait_in_span(NULL);
    pthread_create(&thread, NULL, wait_in_span, NULL);
    pthread_join(thread, NULL);
}

/* Before the first span. */
static void without_counter_early(void)
{
    if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) != 0)
        _exit(77);
    for (int i = 0; i < 4; i++)
        wait_in_span(NULL);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } all[] = {{"pairs", pairs},
               {"keyed", keyed},
               {"short_threads", short_threads},
               {"forked", forked},
               {"by_id", by_id},
               {"below", below},
               {"odd", odd},
               {"interrupted", interrupted},
               {"closes_all", closes_all},
               {"under_way", under_way},
               {"sampled", sampled},
               {"without_counter", without_counter},
               {"without_counter_early", without_counter_early},
               {"killed", killed}};
    number = argc > 2 ? atol(argv[2]) : 1;
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
        if (argc > 1 && strcmp(argv[1], all[i].name) == 0) {
            all[i].run();
            return 0;
        }
    return 2;
}
