/*
 * choose_metrics.c - gptl report: resolves the options that name metrics, once the counted metrics
 * are known.
 */
#include "config.h"

#include "postproc/report/choose_metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/report/escape.h"

#include "report/table.h"

#define WHO "gptl report"

static int wrong(const char *option, const char *value, const char *problem)
{
    fprintf(stderr, WHO ": --%s %s: %s\n", option, value, problem);
    return -1;
}

static void put_stderr(void *to, const char *bytes, size_t size)
{
    (void)to;
    fwrite(bytes, 1, size, stderr);
}

void metrics_list(const struct counts *counts, bool derived)
{
    enum { LISTED = 20 };
    static const struct escape rules = {.backslash = "\\"};
    uint32_t n = 0;
    for (uint32_t i = 0; counts && i < counts->ncolumns; i++) {
        if (!derived && counts->columns[i].expression)
            continue;
        if (n++ == LISTED) {
            fputs(" and others", stderr);
            break;
        }
        fputs(n > 1 ? ", " : "", stderr);
        escape_pieces(&rules, counts->columns[i].name, put_stderr, NULL);
    }
    if (n == 0)
        fputs("none", stderr);
}

/* Print a message that ends with the names of all counted metrics. */
static int no_metric(const struct counts *counts, const char *option, const char *name,
                     size_t length, const char *before)
{
    fprintf(stderr, WHO ": --%s %.*s: %s", option, (int)(length < 200 ? length : 200), name,
            before);
    metrics_list(counts, true);
    fputc('\n', stderr);
    return -1;
}

/* Find the columns of a comma-separated list of names. */
static int list_columns(const struct counts *counts, const char *name, uint32_t *columns,
                        uint32_t *n)
{
    for (size_t length;; name += length + 1) {
        length = strcspn(name, ",");
        long column = counts_find(counts, name, length);
        if (column < 0)
            return no_metric(counts, "metrics", name, length, "there are ");
        uint32_t before = 0;
        while (before < *n && columns[before] != (uint32_t)column)
            before++;
        if (before == *n)
            columns[(*n)++] = (uint32_t)column;
        if (!name[length])
            return 0;
    }
}

/* Choose the columns. NAMES is NULL for the metrics requested when the program ran. */
static int choose_columns(const struct counts *counts, const char *names, uint32_t *columns,
                          uint32_t *n)
{
    bool all = names && strcmp(names, "all") == 0;
    if (names && !all)
        return strcmp(names, "none") == 0 ? 0 : list_columns(counts, names, columns, n);
    for (uint32_t i = 0; counts && i < counts->ncolumns; i++)
        if (all || counts->columns[i].shown)
            columns[(*n)++] = i;
    return 0;
}

static int choose_sort(const struct counts *counts, const char *word, enum metric *sort)
{
    long column = counts_find(counts, word, strlen(word));
    *sort = metric_of_word(word);
    if (*sort == METRIC_NONE && column >= 0)
        *sort = (enum metric)(METRIC_COUNT + column);
    return *sort != METRIC_NONE ? 0
                                : no_metric(counts, "sort", word, strlen(word),
                                            "there are " METRIC_WORDS "; and of metrics ");
}

/*
 * Choose the weight of stacks. A derived metric, or one that covers several threads, cannot be
 * divided among stacks.
 */
static int choose_weight(const struct paths *paths, const char *name, output_writer *write,
                         long *weight)
{
    const struct counts *counts = paths->counts;
    if (write != folded_write && write != speedscope_write)
        return wrong("metric", name, "this is for --folded and --speedscope");
    *weight = counts_find(counts, name, strlen(name));
    if (*weight < 0)
        return no_metric(counts, "metric", name, strlen(name), "there are ");
    if (counts->columns[*weight].expression)
        return wrong("metric", name,
                     "it is derived, and has no sum over stacks; take an event that was counted");
    bool of_all = counts->columns[*weight].scope != GPTL_SCOPE_THREAD;
    if (of_all && paths->nlanes > 1 && write == folded_write)
        return wrong("metric", name,
                     "it has counted for all threads, so they have no sum; choose one of them by "
                     "--rank and --thread");
    return 0;
}

int choose_metrics(const struct paths *paths, const struct metric_words *words,
                   output_writer *write, struct output_options *options)
{
    enum { MOST_COLUMNS = (GPTL_TABLE_COLUMNS - 20) / 3 };
    const struct counts *counts = paths->counts;
    options->columns = malloc(((counts ? counts->ncolumns : 0) + 1) * sizeof *options->columns);
    if (!options->columns) {
        fputs(WHO ": there is not enough memory for this\n", stderr);
        return -1;
    }
    if (choose_columns(counts, words->metrics, options->columns, &options->ncolumns) ||
        (words->sort && choose_sort(counts, words->sort, &options->sort)) ||
        (words->weight && choose_weight(paths, words->weight, write, &options->weight)))
        return -1;
    if ((write == table_write || write == flat_write) && options->ncolumns > MOST_COLUMNS)
        options->ncolumns = MOST_COLUMNS;
    return 0;
}
