/*
 * child.c - measurements that need a fresh process or a large tree.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gptl.h>

int bench_child(const char *options, const char *what, double *value, int count)
{
    int fd[2], status, got = 0;
    pid_t pid;
    FILE *from;

    if (pipe(fd))
        return -1;
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        if (options)
            setenv("GPTL_OPTIONS", options, 1);
        dup2(fd[1], STDOUT_FILENO);
        close(fd[0]);
        close(fd[1]);
        /*
         * fork alone does not suffice: the child must load the library again, with other options.
         */
        execl("/proc/self/exe", "bench", what, (char *)NULL);
        _exit(1);
    }
    close(fd[1]);
    if (pid < 0) {
        close(fd[0]);
        return -1;
    }
    from = fdopen(fd[0], "r");
    while (from && got < count && fscanf(from, "%lf", &value[got]) == 1)
        got++;
    if (from)
        fclose(from);
    if (waitpid(pid, &status, 0) != pid || status != 0)
        return -1;
    return got == count ? 0 : -1;
}

void bench_give(double value)
{
    printf("%.17g\n", value);
}

double bench_status_kb(const char *key)
{
    FILE *file = fopen("/proc/self/status", "r");
    size_t length = strlen(key);
    char line[256];
    double kb = 0;

    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, key, length) == 0 && line[length] == ':')
            kb = strtod(line + length + 1, NULL);
    if (file)
        fclose(file);
    return kb;
}

enum { LEVELS = 3, WIDEST = 1000 };
static const int width[LEVELS] = {10, 100, WIDEST};
static char names[LEVELS][WIDEST][16];

void bench_intern_names(void)
{
    int level, i, handle;

    for (level = 0; level < LEVELS; level++)
        for (i = 0; i < width[level]; i++) {
            snprintf(names[level][i], sizeof names[level][i], "%c_%d", 'a' + level, i);
            handle = 0;
            GPTLinit_handle(names[level][i], &handle);
        }
}

static void grow(int level, long *left)
{
    int i;

    for (i = 0; i < width[level] && *left > 0; i++) {
        GPTLstart(names[level][i]);
        --*left;
        if (level + 1 < LEVELS)
            grow(level + 1, left);
        GPTLstop(names[level][i]);
    }
}

void bench_grow_tree(long nodes)
{
    grow(0, &nodes);
}
