/*
 * measures.c - a program that measures several times, while its threads survive or exit in between,
 * and uses PAPI itself.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <gptl.h>
#include <papi.h>

#define EVENT "perf::PAGE-FAULTS"

static void touch(int n)
{
    volatile char *p =
        mmap(NULL, 4096UL * n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || madvise((void *)p, 4096UL * n, MADV_NOHUGEPAGE))
        exit(3);
    for (int i = 0; i < n; i++)
        p[4096L * i] = 1;
    munmap((void *)p, 4096UL * n);
}

static void region(const char *name, int n)
{
    GPTLstart(name);
    touch(n);
    GPTLstop(name);
}

static void say(const char *name, int t)
{
    long long faults = -1;
    GPTLquerycounters(name, t, &faults);
    printf("%s %lld\n", name, faults);
}

static void in_thread(void *(*body)(void *))
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, body, NULL) || pthread_join(thread, NULL))
        exit(3);
}

/* ---- Anew ---------------------------------------------------------------------------------- */

static pthread_barrier_t barrier;

static int descriptors(void)
{
    int n = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (folder && readdir(folder))
        n++;
    if (folder)
        closedir(folder);
    return n;
}

/* Survives two measurements, and exits between them and the next. */
static void *worker(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_barrier_wait(&barrier);
        region("work", 20);
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
    }
    return arg;
}

static void anew(void)
{
    int before = descriptors();
    for (int round = 0; round < 3; round++) {
        pthread_t thread;
        pthread_barrier_init(&barrier, NULL, 2);
        if (pthread_create(&thread, NULL, worker, NULL))
            exit(3);
        for (int i = 0; i < 2; i++) {
            GPTLinitialize();
            region("main", 10);
            pthread_barrier_wait(&barrier);
            pthread_barrier_wait(&barrier);
            say("main", 0);
            say("work", 1);
            GPTLfinalize();
            pthread_barrier_wait(&barrier);
        }
        pthread_join(thread, NULL);
    }
    printf("descriptors %d\n", descriptors() - before);
}

/* ---- Names --------------------------------------------------------------------------------- */

static void *names(void *arg)
{
    int code = 0;
    char name[128] = "";
    if (GPTLevent_name_to_code(EVENT, &code) == 0 && GPTLevent_code_to_name(code, name) == 0)
        puts(name);
    return arg;
}

/* ---- PAPI by the program as well ------------------------------------------------------------ */

static int set;

static int host_begins(void)
{
    int code;
    set = PAPI_NULL;
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT ||
        PAPI_create_eventset(&set) != PAPI_OK || PAPI_event_name_to_code(EVENT, &code) != PAPI_OK ||
        PAPI_add_event(set, code) != PAPI_OK)
        exit(3);
    return PAPI_start(set);
}

static void host_ends(void)
{
    long long faults = -1;
    printf("host %s %lld\n", PAPI_strerror(PAPI_stop(set, &faults)), faults);
    PAPI_cleanup_eventset(set);
    PAPI_destroy_eventset(&set);
}

/* The program's own counts continue after the measurement. */
static void after(void)
{
    GPTLinitialize();
    region("main", 10);
    if (host_begins() == PAPI_OK)
        exit(3);
    GPTLfinalize();
    PAPI_start(set);
    touch(3);
    host_ends();
    GPTLinitialize();
    region("main", 10);
    say("main", 0);
    GPTLfinalize();
}

static void kept(void)
{
    GPTLinitialize();
    region("main", 10);
    if (PAPI_create_eventset(&set) != PAPI_OK)
        exit(3);
    GPTLfinalize();
    printf("%s\n", PAPI_strerror(PAPI_cleanup_eventset(set)));
}

static void *in_vain(void *arg)
{
    region("in vain", 5);
    return arg;
}

static void shut_down(void)
{
    GPTLinitialize();
    region("main", 10);
    PAPI_shutdown();
    region("later", 5);
    in_thread(in_vain);
    say("main", 0);
    GPTLfinalize();
    GPTLinitialize();
    region("main", 10);
    say("main", 0);
    GPTLfinalize();
}

/* Survives while the program restarts PAPI; its earlier counts remain. */
static void *live_through(void *arg)
{
    region("thread", 20);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    region("thread", 20);
    return arg;
}

static void *come_later(void *arg)
{
    region("new thread", 7);
    return arg;
}

/* The program's own sets then have the numbers from 0 on, and more events than we request. */
static void start_anew(void)
{
    static const char *const names[] = {"perf::PAGE-FAULTS", "perf::TASK-CLOCK",
                                        "perf::CPU-MIGRATIONS"};
    enum { EVENTS = sizeof names / sizeof *names };
    long long values[EVENTS] = {0};
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    GPTLinitialize();
    region("main", 10);
    GPTLstart("open");
    if (pthread_create(&thread, NULL, live_through, NULL))
        exit(3);
    pthread_barrier_wait(&barrier);
    PAPI_shutdown();
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT ||
        PAPI_thread_init((unsigned long (*)(void))pthread_self) != PAPI_OK)
        exit(3);
    for (int i = 0; i < 3; i++) {
        set = PAPI_NULL;
        if (PAPI_create_eventset(&set) != PAPI_OK)
            exit(3);
        for (int k = 0; k < EVENTS; k++)
            if (PAPI_add_named_event(set, names[k]) != PAPI_OK)
                exit(3);
    }
    if (PAPI_start(set) != PAPI_OK)
        exit(3);
    in_thread(come_later);
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    region("main", 5);
    GPTLstop("open");
    PAPI_reset(set);
    touch(12);
    if (PAPI_stop(set, values) != PAPI_OK)
        exit(3);
    PAPI_cleanup_eventset(set);
    printf("host %lld ", values[0]);
    say("main", 0);
    say("open", 0);
    say("thread", 1);
    say("new thread", 2);
    GPTLfinalize();
    GPTLinitialize();
    region("main", 10);
    say("main", 0);
    GPTLfinalize();
}

static void close_all(void)
{
    GPTLinitialize();
    region("main", 10);
    for (int fd = 3; fd < 256; fd++)
        close(fd);
    errno = 0;
    GPTLstart("main");
    GPTLstop("main");
    printf("error %d\n", errno);
    say("main", 0);
}

/* ---- Files --------------------------------------------------------------------------------- */

/* Like a daemon. */
static void close_from_3(void)
{
    for (int fd = 3; fd < (int)sysconf(_SC_OPEN_MAX); fd++)
        close(fd);
}

/*
 * Closes all descriptors, and then opens many files, whose offsets nobody else may move: the
 * program checks that when it reads them.
 */
static void reopen(void)
{
    enum { FILES = 20, TIMES = 50 };
    int fd[FILES], own = 0, pipes[2];
    char text[64], written[64];
    GPTLinitialize();
    GPTLstart("around");
    region("main", 10);
    close_from_3();
    for (int i = 0; i < FILES; i++) {
        fd[i] = open("file", O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0600);
        unlink("file");
        snprintf(written, sizeof written, "%032d", i);
        if (write(fd[i], written, 32) != 32 || lseek(fd[i], 0, SEEK_SET))
            exit(3);
    }
    if (pipe(pipes) || write(pipes[1], written, 32) != 32)
        exit(3);
    errno = 0;
    for (int i = 0; i < TIMES; i++)
        region("main", 10);
    GPTLstop("around");
    int error = errno;
    for (int i = 0; i < FILES; i++) {
        snprintf(written, sizeof written, "%032d", i);
        own += read(fd[i], text, sizeof text) == 32 && memcmp(text, written, 32) == 0;
    }
    own += read(pipes[0], text, sizeof text) == 32;
    printf("own %d error %d\n", own, error);
    say("main", 0);
    GPTLpr(0);
    GPTLfinalize();
    for (int i = 0; i < FILES; i++)
        own -= fcntl(fd[i], F_GETFD) >= 0;
    printf("closed %d\n", own - 1);
}

static void *stay(void *arg)
{
    region("crowd", 3);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    return arg;
}

/* More threads than descriptors: the program still has some. */
static void crowd(void)
{
    enum { THREADS = 50, FILES = 4 };
    pthread_t thread[THREADS];
    int files = 0;
    pthread_barrier_init(&barrier, NULL, THREADS + 1);
    GPTLinitialize();
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, stay, NULL))
            exit(3);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < FILES; i++)
        files += open("/", O_RDONLY) >= 0;
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    printf("files %d\n", files);
    GPTLpr(0);
    GPTLfinalize();
}

/* The descriptors of another program that this one executes. */
static void exec_ls(void)
{
    GPTLinitialize();
    region("main", 10);
    execlp("ls", "ls", "/proc/self/fd", (char *)NULL);
}

/* PAPI ends a process without available descriptors. */
static void few_files(void)
{
    int next = dup(0);
    struct rlimit few = {(rlim_t)next + 1, (rlim_t)next + 1};
    close(next);
    if (next < 0 || setrlimit(RLIMIT_NOFILE, &few))
        exit(3);
    GPTLinitialize();
    region("main", 10);
    say("main", 0);
    GPTLfinalize();
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    set = PAPI_NULL;
    setvbuf(stdout, NULL, _IONBF, 0);
    if (strcmp(what, "anew") == 0) {
        anew();
    } else if (strcmp(what, "names") == 0) {
        in_thread(names);
        GPTLinitialize();
        GPTLfinalize();
        names(NULL);
        in_thread(names);
    } else if (strcmp(what, "before") == 0) {
        host_begins();
        GPTLinitialize();
        region("main", 10);
        host_ends();
        GPTLfinalize();
    } else if (strcmp(what, "after") == 0) {
        after();
    } else if (strcmp(what, "kept") == 0) {
        kept();
    } else if (strcmp(what, "few_files") == 0) {
        few_files();
    } else if (strcmp(what, "close_all") == 0) {
        close_all();
    } else if (strcmp(what, "start_anew") == 0) {
        start_anew();
    } else if (strcmp(what, "reopen") == 0) {
        reopen();
    } else if (strcmp(what, "crowd") == 0) {
        crowd();
    } else if (strcmp(what, "exec_ls") == 0) {
        exec_ls();
    } else {
        shut_down();
    }
    return 0;
}
