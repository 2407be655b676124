/*
 * ranks.c - one result of many ranks: the tree of a rank, the merge of two trees, and a whole
 * reduction with all messages, with 1000 regions on 1000 paths. Ranks are threads of this process
 * that copy messages through memory, on all available cores.
 *
 * The floor of a merge is a copy of the merged tree. The bench is linked with the library's
 * internals.
 */
#include "bench.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ranks/reduce.h"
#include "report/report.h"

enum { REGIONS = 1000, MOST_RANKS = 64, REPEATS = 9 };

/* ---- Trees --------------------------------------------------------------------------------- */

static char names[MOST_RANKS][REGIONS][32];

/* The profile of RANK: 10 regions that call 99 others each. OWN: no other rank has them. */
static void make_profile(struct gptl_profile *profile, struct gptl_copy *copy, int rank, int own)
{
    *copy = (struct gptl_copy){.seconds_per_tick = 1e-9,
                               .nnodes = REGIONS + 1,
                               .nodes = calloc(REGIONS + 1, sizeof *copy->nodes)};
    copy->nodes[0].min = UINT64_MAX;
    for (uint32_t i = 1; i <= REGIONS; i++) {
        char *name = names[rank][i - 1];
        snprintf(name, sizeof names[0][0], "module_%d_region_%u", own ? rank : 0, i);
        copy->nodes[i] = (struct gptl_node_copy){.name = name,
                                                 .count = i,
                                                 .total = (uint64_t)(rank + 1) * 1000000 + i,
                                                 .parent = i <= 10 ? 0 : i % 10 + 1,
                                                 .target = i,
                                                 .region = i};
    }
    *profile = (struct gptl_profile){
        .process = {.program = "bench", .rank = rank}, .copies = copy, .ncopies = 1};
}

static double median(double *values, int n)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && values[k] < values[k - 1]; k--) {
            double kept = values[k];
            values[k] = values[k - 1];
            values[k - 1] = kept;
        }
    return values[n / 2];
}

/* Seconds to create a tree, to merge two, and to copy the result. */
static void measure_merge(int own, double *make, double *merge, double *copy, uint64_t *size)
{
    double times[3][REPEATS];
    struct gptl_profile profiles[2];
    struct gptl_copy copies[2];
    struct gptl_ranks_tree trees[2], merged;
    for (int k = 0; k < 2; k++)
        make_profile(&profiles[k], &copies[k], k, own);
    for (int i = 0; i < REPEATS; i++) {
        double begin = bench_seconds();
        for (int k = 0; k < 2; k++)
            if (gptl_ranks_make(&trees[k], &profiles[k], k))
                bench_stop(1, "no memory");
        times[0][i] = (bench_seconds() - begin) / 2;
        begin = bench_seconds();
        if (gptl_ranks_merge(&merged, &trees[0], &trees[1]))
            bench_stop(1, "no memory");
        times[1][i] = bench_seconds() - begin;
        *size = merged.head->size;
        begin = bench_seconds();
        void *other = malloc(*size);
        memcpy(other, merged.head, *size);
        __asm__ volatile("" ::"r"(other) : "memory");
        times[2][i] = bench_seconds() - begin;
        free(other);
        for (int k = 0; k < 2; k++)
            gptl_ranks_tree_free(&trees[k]);
        gptl_ranks_tree_free(&merged);
    }
    for (int k = 0; k < 2; k++)
        free(copies[k].nodes);
    *make = median(times[0], REPEATS);
    *merge = median(times[1], REPEATS);
    *copy = median(times[2], REPEATS);
}

/* ---- Ranks --------------------------------------------------------------------------------- */

/* Each rank has a slot for one message of each other rank. */
struct slot {
    void *bytes;
    size_t size;
    int full;
};

static struct slot slots[MOST_RANKS][MOST_RANKS]; /* to, from */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct gptl_ranks_tree trees[MOST_RANKS];
static int nranks;

static int send_copy(void *context, int to, const void *bytes, size_t size)
{
    struct slot *slot = &slots[to][*(int *)context];
    void *copy = malloc(size + 1);
    memcpy(copy, bytes, size);
    pthread_mutex_lock(&lock);
    *slot = (struct slot){copy, size, 1};
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return 0;
}

static int receive_copy(void *context, int from, void **bytes, size_t *size)
{
    struct slot *slot = &slots[*(int *)context][from];
    pthread_mutex_lock(&lock);
    while (!slot->full)
        pthread_cond_wait(&changed, &lock);
    slot->full = 0;
    *bytes = slot->bytes;
    *size = slot->size;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void *reduce(void *argument)
{
    int *rank = argument;
    const char *why;
    struct gptl_transport transport = {
        .context = rank, .rank = *rank, .size = nranks, .send = send_copy, .receive = receive_copy};
    int result = gptl_ranks_reduce(&transport, &trees[*rank], &why);
    if (gptl_ranks_tell(&transport, result))
        bench_stop(1, "the reduction failed");
    return NULL;
}

static double measure_reduction(int n, int own, uint64_t *size)
{
    static pthread_t threads[MOST_RANKS];
    static int ranks[MOST_RANKS];
    double times[REPEATS];
    nranks = n;
    for (int i = 0; i < REPEATS; i++) {
        for (int r = 0; r < n; r++) {
            struct gptl_profile profile;
            struct gptl_copy copy;
            make_profile(&profile, &copy, r, own);
            if (gptl_ranks_make(&trees[r], &profile, r))
                bench_stop(1, "no memory");
            free(copy.nodes);
        }
        double begin = bench_seconds();
        for (int r = 0; r < n; r++) {
            ranks[r] = r;
            pthread_create(&threads[r], NULL, reduce, &ranks[r]);
        }
        for (int r = 0; r < n; r++)
            pthread_join(threads[r], NULL);
        times[i] = bench_seconds() - begin;
        *size = trees[0].head->size;
        gptl_ranks_tree_free(&trees[0]);
    }
    return median(times, REPEATS);
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static void show_merge(int own, const char *work)
{
    double make, merge, copy;
    uint64_t size;
    char label[64], floor[32], figure[32];
    measure_merge(own, &make, &merge, &copy, &size);
    printf("# %s: a rank's tree is made in %.0f us, two merged are %.0f KB\n", work, make * 1e6,
           (double)size / 1024);
    snprintf(label, sizeof label, "merge 2 x 1000 regions, %s", work);
    snprintf(floor, sizeof floor, "%.0f us", copy * 1e6);
    snprintf(figure, sizeof figure, "%.0f us", merge * 1e6);
    bench_row_text(label, floor, figure, merge / copy, "-");
}

static void show_reductions(int own, const char *work)
{
    for (int n = 2; n <= MOST_RANKS; n *= 2) {
        char label[64], figure[32], result[32];
        uint64_t size;
        double seconds = measure_reduction(n, own, &size);
        snprintf(label, sizeof label, "reduce %d x 1000 regions, %s", n, work);
        snprintf(figure, sizeof figure, "%.2f ms", seconds * 1e3);
        snprintf(result, sizeof result, "%.0f KB", (double)size / 1024);
        bench_row_text(label, result, figure, (double)NAN, "-");
    }
}

int main(void)
{
    bench_open();
    show_merge(0, "the same");
    show_merge(1, "disjoint");
    show_reductions(0, "the same");
    show_reductions(1, "disjoint");
    bench_close();
}
