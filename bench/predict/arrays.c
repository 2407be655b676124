/* arrays.c - kernels over arrays: triad, sparse matrix, stencil, gather, list, sorting. */
#include "suite.h"

#include <stdlib.h>
#include <string.h>

/* ---- STREAM triad --------------------------------------------------------------------------- */

static struct {
    double *a, *b, *c;
    size_t n;
} triad;

static void triad_prepare(size_t bytes)
{
    triad.n = bytes / (3 * sizeof(double));
    triad.a = suite_memory(triad.n * sizeof(double));
    triad.b = suite_memory(triad.n * sizeof(double));
    triad.c = suite_memory(triad.n * sizeof(double));
    for (size_t i = 0; i < triad.n; i++) {
        triad.a[i] = 0;
        triad.b[i] = 1;
        triad.c[i] = 2;
    }
}

static void triad_sweep(void)
{
    double *restrict a = triad.a;
    const double *restrict b = triad.b, *restrict c = triad.c;
    for (size_t i = 0; i < triad.n; i++)
        a[i] = b[i] + 3.0 * c[i];
}

/* ---- Sparse matrix by rows times a vector: 16 random columns a row --------------------------- */

enum { ROW_ENTRIES = 16 };

static struct {
    double *values, *x, *y;
    int *columns, *starts;
    size_t n;
} csr;

static void csr_prepare(size_t bytes)
{
    csr.n = bytes / (ROW_ENTRIES * (sizeof(double) + sizeof(int)) + 2 * sizeof(double) + 4);
    size_t entries = csr.n * ROW_ENTRIES;
    csr.values = suite_memory(entries * sizeof(double));
    csr.columns = suite_memory(entries * sizeof(int));
    csr.starts = suite_memory((csr.n + 1) * sizeof(int));
    csr.x = suite_memory(csr.n * sizeof(double));
    csr.y = suite_memory(csr.n * sizeof(double));
    for (size_t i = 0; i < entries; i++) {
        csr.values[i] = 0.5;
        csr.columns[i] = (int)(suite_random() % csr.n);
    }
    for (size_t i = 0; i < csr.n; i++) {
        csr.x[i] = 1;
        csr.y[i] = 0;
        csr.starts[i + 1] = (int)(i + 1) * ROW_ENTRIES;
    }
    csr.starts[0] = 0;
}

static void csr_sweep(void)
{
    double *restrict y = csr.y;
    const double *restrict x = csr.x, *restrict values = csr.values;
    const int *restrict columns = csr.columns, *restrict starts = csr.starts;
    for (size_t row = 0; row < csr.n; row++) {
        double sum = 0;
        for (int k = starts[row]; k < starts[row + 1]; k++)
            sum += values[k] * x[columns[k]];
        y[row] = sum;
    }
}

/* ---- 7-point stencil on a cube --------------------------------------------------------------- */

static struct {
    double *from, *to;
    size_t n;
} stencil;

static void stencil_prepare(size_t bytes)
{
    size_t n = 3;
    while (2 * (n + 1) * (n + 1) * (n + 1) * sizeof(double) <= bytes)
        n++;
    stencil.n = n;
    stencil.from = suite_memory(n * n * n * sizeof(double));
    stencil.to = suite_memory(n * n * n * sizeof(double));
    for (size_t i = 0; i < n * n * n; i++)
        stencil.from[i] = stencil.to[i] = (double)(i % 7);
}

static void stencil_sweep(void)
{
    size_t n = stencil.n, plane = n * n;
    for (size_t k = 1; k < n - 1; k++)
        for (size_t j = 1; j < n - 1; j++) {
            const double *restrict at = stencil.from + k * plane + j * n;
            double *restrict to = stencil.to + k * plane + j * n;
            for (size_t i = 1; i < n - 1; i++)
                to[i] = 0.4 * at[i] + 0.1 * (at[i - 1] + at[i + 1] + at[i - n] + at[i + n] +
                                             at[i - plane] + at[i + plane]);
        }
    double *other = stencil.from;
    stencil.from = stencil.to;
    stencil.to = other;
}

/* ---- Random gather --------------------------------------------------------------------------- */

static struct {
    double *table, *result;
    uint32_t *index;
    size_t n;
} gather;

/*
 * One element per line of the table: with fewer, a large part of the table would never be touched.
 */
static void gather_prepare(size_t bytes)
{
    enum { LINE = 64 };
    gather.n = bytes / (LINE + sizeof(double) + sizeof(uint32_t));
    size_t entries = gather.n * LINE / sizeof(double);
    gather.table = suite_memory(entries * sizeof(double));
    gather.result = suite_memory(gather.n * sizeof(double));
    gather.index = suite_memory(gather.n * sizeof(uint32_t));
    for (size_t i = 0; i < entries; i++)
        gather.table[i] = (double)i;
    for (size_t i = 0; i < gather.n; i++) {
        gather.result[i] = 0;
        gather.index[i] = (uint32_t)(suite_random() % entries);
    }
}

static void gather_sweep(void)
{
    double *restrict result = gather.result;
    const double *restrict table = gather.table;
    const uint32_t *restrict index = gather.index;
    for (size_t i = 0; i < gather.n; i++)
        result[i] = table[index[i]];
}

/* ---- Linked list in random order, a node a cache line ----------------------------------------- */

struct node {
    struct node *next;
    uint64_t value[7];
};

static struct {
    struct node *nodes;
    size_t n;
    uint64_t sum;
} list;

static void list_prepare(size_t bytes)
{
    list.n = bytes / sizeof(struct node);
    list.nodes = suite_memory(list.n * sizeof(struct node));
    uint32_t *order = suite_memory(list.n * sizeof *order);
    for (size_t i = 0; i < list.n; i++)
        order[i] = (uint32_t)i;
    for (size_t i = list.n - 1; i > 0; i--) {
        size_t other = suite_random() % (i + 1);
        uint32_t swapped = order[i];
        order[i] = order[other];
        order[other] = swapped;
    }
    for (size_t i = 0; i < list.n; i++) {
        struct node *node = &list.nodes[order[i]];
        node->next = &list.nodes[order[(i + 1) % list.n]];
        node->value[0] = i;
    }
}

static void list_sweep(void)
{
    uint64_t sum = 0;
    const struct node *node = list.nodes;
    for (size_t i = 0; i < list.n; i++) {
        sum += node->value[0];
        node = node->next;
    }
    list.sum += sum;
}

/* ---- Sorting of random numbers ----------------------------------------------------------------- */

static struct {
    uint64_t *random, *sorted;
    size_t n;
} sorting;

static void sort_prepare(size_t bytes)
{
    /* qsort of glibc allocates a copy. */
    sorting.n = bytes / (3 * sizeof(uint64_t));
    sorting.random = suite_memory(sorting.n * sizeof(uint64_t));
    sorting.sorted = suite_memory(sorting.n * sizeof(uint64_t));
    for (size_t i = 0; i < sorting.n; i++)
        sorting.sorted[i] = sorting.random[i] = suite_random();
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void sort_sweep(void)
{
    memcpy(sorting.sorted, sorting.random, sorting.n * sizeof(uint64_t));
    qsort(sorting.sorted, sorting.n, sizeof(uint64_t), compare);
}

const struct kernel suite_kernels[] = {
    {"triad", triad_prepare, triad_sweep},
    {"csr", csr_prepare, csr_sweep},
    {"stencil", stencil_prepare, stencil_sweep},
    {"gather", gather_prepare, gather_sweep},
    {"list", list_prepare, list_sweep},
    {"sort", sort_prepare, sort_sweep},
    {NULL, NULL, NULL},
};
