/* label.c - unique short names of processes for the output. */
#include "config.h"

#include "postproc/ioc/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/ioc/memory.h"

static const char *program_of(const struct log_process *process)
{
    const char *slash = strrchr(process->program, '/');
    return slash ? slash + 1 : process->program;
}

/* Return a label; higher STYLES, from 0 on, are longer. */
static char *label(const struct log_process *process, int style)
{
    char text[512];
    int n = 0;
    if (process->rank >= 0)
        n = snprintf(text, sizeof text, "rank %lld", (long long)process->rank);
    if (process->rank < 0 || style > 0)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%.200s:%lld", n ? " " : "",
                      process->host, (long long)process->pid);
    if (style > 1)
        snprintf(text + n, sizeof text - (size_t)n, " %.100s", program_of(process));
    return memory_text(text);
}

static uint64_t hash_of(const char *text)
{
    uint64_t hash = 14695981039346656037u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return hash;
}

/* Append a number to a label that is still ambiguous. */
static void number(struct log_process *process, uint64_t n)
{
    char text[600];
    snprintf(text, sizeof text, "%s #%llu", process->label, (unsigned long long)n);
    free(process->label);
    process->label = memory_text(text);
}

void log_label(struct log *log)
{
    enum { NSTYLES = 3 };
    for (int style = 0; style < NSTYLES; style++) {
        struct map count = {0};
        for (size_t i = 0; i < log->nprocesses; i++) {
            char *text = label(&log->processes[i], style);
            ++*map_put(&count, hash_of(text));
            free(text);
        }
        for (size_t i = 0; i < log->nprocesses; i++) {
            struct log_process *process = &log->processes[i];
            char *text = process->label ? NULL : label(process, style);
            if (text && (*map_find(&count, hash_of(text)) == 1 || style == NSTYLES - 1))
                process->label = text;
            else
                free(text);
        }
        map_free(&count);
    }
    struct map count = {0};
    for (size_t i = 0; i < log->nprocesses; i++) {
        uint64_t *n = map_put(&count, hash_of(log->processes[i].label));
        if (++*n > 1)
            number(&log->processes[i], *n);
    }
    map_free(&count);
}

void log_long_label(const struct log *log, uint32_t process, char *text, size_t size)
{
    const struct log_process *p = &log->processes[process];
    bool programs = false, hosts = false;
    for (size_t i = 1; i < log->nprocesses; i++) {
        programs |= strcmp(log->processes[i].program, log->processes[0].program) != 0;
        hosts |= strcmp(log->processes[i].host, log->processes[0].host) != 0;
    }
    if (!programs)
        snprintf(text, size, "%s", p->label);
    else if (p->rank < 0 && !hosts)
        snprintf(text, size, "%.20s %lld", program_of(p), (long long)p->pid);
    else
        snprintf(text, size, "%s %.20s", p->label, program_of(p));
}
