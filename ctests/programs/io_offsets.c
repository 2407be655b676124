/*
 * io_offsets WAY: writes records "<...>" of different lengths to the file data, with an offset that
 * others move as well. So the file contains the position of each write.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static atomic_int *count; /* of all processes */
static int fd;

static int record(char *text)
{
    int n = 10 + atomic_fetch_add(count, 1);
    memset(text, 'a' + n % 26, (size_t)n);
    text[0] = '<';
    text[n - 1] = '>';
    return n;
}

static void put(int to)
{
    char text[8192];
    int n = record(text);
    if (write(to, text, (size_t)n) != n)
        abort();
}

static void *puts_many(void *to)
{
    for (int i = 0; i < 300; i++)
        put((int)(long)to);
    return NULL;
}

static void two_threads(int a, int b)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, puts_many, (void *)(long)a);
    pthread_create(&t[1], NULL, puts_many, (void *)(long)b);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
}

static void two_processes(int a, int b)
{
    if (fork() == 0) {
        puts_many((void *)(long)b);
        exit(0);
    }
    puts_many((void *)(long)a);
    wait(NULL);
}

static int again(int flags)
{
    return open("data", O_CREAT | O_RDWR | flags, 0600);
}

static void *puts_one(void *to)
{
    put((int)(long)to);
    return NULL;
}

static void hand_over(void)
{
    pthread_t t;
    for (int i = 0; i < 5; i++) {
        put(fd);
        pthread_create(&t, NULL, puts_one, (void *)(long)fd);
        pthread_join(t, NULL);
    }
}

static void set_append(void)
{
    put(fd);
    lseek(fd, 0, SEEK_SET);
    fcntl(fd, F_SETFL, O_APPEND);
    put(fd);
    put(fd);
    fcntl(fd, F_SETFL, 0);
    put(fd);
}

static void append_at(void)
{
    char text[8192];
    fcntl(fd, F_SETFL, O_APPEND);
    for (int i = 0; i < 3; i++) {
        int n = record(text);
        if (pwrite(fd, text, (size_t)n, 0) != n)
            abort();
    }
}

static void append_once(void)
{
    char text[8192];
    put(fd);
    for (int i = 0; i < 3; i++) {
        int n = record(text);
        struct iovec v = {text, (size_t)n};
        if (pwritev2(fd, &v, 1, 1, RWF_APPEND) != n &&
            pwrite(fd, text, (size_t)n, lseek(fd, 0, SEEK_END)) != n)
            abort();
    }
}

static void start_itself(char **argv, int waits)
{
    pid_t pid;
    char *arguments[] = {argv[0], (char *)"inherits", NULL};
    if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, arguments, environ) != 0)
        abort();
    if (waits)
        waitpid(pid, NULL, 0);
}

static void streams(void)
{
    char text[8192];
    FILE *f = fdopen(dup(fd), "w");
    for (int i = 0; i < 20; i++) {
        int n = record(text);
        fwrite(text, 1, (size_t)n, f);
        fflush(f);
        put(fd);
    }
    fclose(f);
}

static void *opens_and_closes(void *unused)
{
    (void)unused;
    for (int i = 0; i < 300; i++) {
        int own = again(O_APPEND);
        put(own);
        close(own);
    }
    return NULL;
}

static void close_and_open(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, opens_and_closes, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    fd = 20;
    int counts = open("counts", O_CREAT | O_RDWR, 0600);
    if (ftruncate(counts, 4096) != 0)
        return 1;
    count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, counts, 0);
    if (strcmp(way, "inherits") == 0) {
        puts_many((void *)(long)fd);
        return 0;
    }
    if (strcmp(way, "append") == 0)
        two_processes(again(O_APPEND), again(O_APPEND));
    else if (strcmp(way, "append_shared") == 0)
        fd = again(O_APPEND), two_processes(fd, fd);
    else if (strcmp(way, "append_threads") == 0)
        fd = again(O_APPEND), two_threads(fd, fd);
    else if (strcmp(way, "close_and_open") == 0)
        close_and_open();
    else {
        fd = again(0);
        int high = dup2(fd, 20);
        if (strncmp(way, "start", 5) == 0)
            fd = high;
    }
    if (strcmp(way, "alone") == 0)
        fd = again(0), puts_many((void *)(long)fd);
    else if (strcmp(way, "threads") == 0)
        two_threads(fd, fd);
    else if (strcmp(way, "duplicates") == 0)
        two_threads(fd, dup(fd));
    else if (strcmp(way, "processes") == 0)
        two_processes(fd, fd);
    else if (strcmp(way, "hand_over") == 0)
        fd = again(0), hand_over();
    else if (strcmp(way, "set_append") == 0)
        set_append();
    else if (strcmp(way, "append_at") == 0)
        append_at();
    else if (strcmp(way, "append_once") == 0)
        append_once();
    else if (strcmp(way, "streams") == 0)
        streams();
    else if (strcmp(way, "start_and_wait") == 0)
        put(fd), start_itself(argv, 1), put(fd);
    else if (strcmp(way, "start") == 0)
        put(fd), start_itself(argv, 0), puts_many((void *)(long)fd), wait(NULL);
    return 0;
}
