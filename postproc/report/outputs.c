/* outputs.c - text shared by several outputs of gptl report. */
#include "config.h"

#include "postproc/report/outputs.h"

#include <stdio.h>
#include <string.h>

const char *outputs_program(const struct paths *paths)
{
    if (paths->nlanes == 0)
        return "unknown";
    const char *program = paths->lanes[0].profile->process.program;
    const char *slash = strrchr(program, '/');
    return slash ? slash + 1 : program;
}

uint32_t outputs_processes(const struct paths *paths)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < paths->nlanes; i++)
        if (i == 0 || paths->lanes[i].process != paths->lanes[i - 1].process)
            n++;
    return n;
}

void outputs_title(const struct paths *paths, char *title, size_t size)
{
    uint32_t n = outputs_processes(paths);
    if (paths->ranks) {
        const struct gptl_ranks_head *head = paths->ranks->head;
        snprintf(title, size, "%.200s: %u rank%s, %llu thread%s", outputs_program(paths),
                 head->nranks, head->nranks == 1 ? "" : "s", (unsigned long long)head->nthreads,
                 head->nthreads == 1 ? "" : "s");
        return;
    }
    char processes[64] = "", threads[32] = "";
    /* "rank 0" starts with the word that names the kind of process. */
    const char *label = paths->nlanes ? paths->lanes[0].process_label : "process";
    int word = (int)strcspn(label, " ");
    if (n == 1 && paths->lanes[0].rank >= 0)
        snprintf(processes, sizeof processes, "%s", label);
    else if (n > 1)
        snprintf(processes, sizeof processes, "%u %.*s%s", n, word, label,
                 label[word - 1] == 's' ? "es" : "s");
    if (paths->nlanes != n || n <= 1)
        snprintf(threads, sizeof threads, "%s%u thread%s", *processes ? ", " : "", paths->nlanes,
                 paths->nlanes == 1 ? "" : "s");
    snprintf(title, size, "%.200s: %s%s", outputs_program(paths), processes, threads);
}
