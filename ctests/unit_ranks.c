/*
 * unit_ranks.c - merged trees of ranks equal a direct computation over all calls, within the
 * promised number of messages and amount of memory.
 */
#include "config.h"

#include <malloc.h>

#include "ranks_fixture.h"

#define CHECK_FAILED() fail()
#include "check.h"

#include "ranks/reduce.h"

/* ---- Memory -------------------------------------------------------------------------------- */

/*
 * The memory that the ranks module has from malloc, in the calling thread; see -Wl,--wrap in
 * ctests.mk.
 */
static _Thread_local size_t allocated, most_allocated;
static _Thread_local long fail_after = -1;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *block);

static void *counted(void *block)
{
    if (block)
        allocated += malloc_usable_size(block);
    if (allocated > most_allocated)
        most_allocated = allocated;
    return block;
}

static bool fails(void)
{
    return fail_after >= 0 && fail_after-- == 0;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : counted(__real_calloc(n, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    size_t before = old ? malloc_usable_size(old) : 0;
    void *block = fails() ? NULL : __real_realloc(old, size);
    if (block)
        allocated -= before;
    return counted(block);
}

void __wrap_free(void *block)
{
    if (block)
        allocated -= malloc_usable_size(block);
    __real_free(block);
}

/* ---- Direct computation -------------------------------------------------------------------- */

/* The activity of a thread on a path, which is the numbers of its regions as letters. */
enum { DEEPEST = 6, PATH = 4 * DEEPEST + 1 };

struct fact {
    char path[PATH];
    int rank, thread;
    uint64_t calls, wall;
};

enum { NAMES = 1000 };
static char names[NAMES][16];

struct job {
    int nranks;
    struct rank_profile *ranks;
    struct fact *facts;
    size_t nfacts, room;
    struct gptl_ranks_tree merged; /* of rank 0 */
    size_t sizes[WORLD_RANKS];     /* of the final tree of a rank */
    size_t most[WORLD_RANKS];      /* memory of a rank */
};

static void add_fact(struct job *job, const char *path, int rank, int thread, uint64_t calls,
                     uint64_t wall)
{
    if (job->nfacts == job->room) {
        job->room = 2 * job->room + 1024;
        job->facts = realloc(job->facts, job->room * sizeof *job->facts);
    }
    struct fact *fact = &job->facts[job->nfacts++];
    *fact = (struct fact){.rank = rank, .thread = thread, .calls = calls, .wall = wall};
    snprintf(fact->path, sizeof fact->path, "%s", path);
}

/* A random tree of N nodes over the names from FIRST on, excluding LAST. */
static void random_thread(struct job *job, int rank, int thread, uint32_t n, uint32_t first,
                          uint32_t last)
{
    struct rank_profile *r = &job->ranks[rank];
    char(*paths)[PATH] = calloc(n + 1, sizeof *paths);
    rank_profile_room(r, thread, n + 1);
    struct gptl_copy *copy = &r->copies[thread];
    while (copy->nnodes <= n) {
        uint32_t parent = fixture_random(copy->nnodes), at = copy->nnodes;
        uint32_t name = first + fixture_random(last - first);
        char path[PATH + 8];
        snprintf(path, sizeof path, "%s%04u", paths[parent], name);
        bool known = strlen(path) >= PATH;
        for (size_t i = 0; i + 4 < strlen(path); i += 4) /* recursion would be a back edge */
            known |= memcmp(path + i, path + strlen(path) - 4, 4) == 0;
        for (uint32_t i = 1; i < at && !known; i++)
            known = strcmp(paths[i], path) == 0;
        if (known)
            continue;
        uint64_t calls = 1 + fixture_random(50), wall = fixture_random(2000000000);
        strcpy(paths[at], path);
        rank_profile_add(r, thread, parent, name + 1, names[name], calls, wall);
        add_fact(job, path, rank, thread, calls, wall);
    }
    free(paths);
}

static int compare_facts(const void *left, const void *right)
{
    const struct fact *a = left, *b = right;
    int order = strcmp(a->path, b->path);
    if (order)
        return order;
    return a->rank != b->rank ? a->rank - b->rank : a->thread - b->thread;
}

static void check_sum(const struct gptl_moments *found, const double *values, size_t n)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        mean += values[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    CHECK_INT(found->n, n);
    CHECK_REAL(found->mean, mean);
    CHECK_BETWEEN(found->squares, squares * (1 - 1e-9) - 1, squares * (1 + 1e-9) + 1);
}

/* FACTS are all data of the row, sorted, one for each thread. */
static void check_row(const struct gptl_ranks_tree *tree, const struct gptl_ranks_row *row,
                      const struct fact *facts, size_t n)
{
    static double wall[WORLD_RANKS * FIXTURE_THREADS], of_rank[WORLD_RANKS];
    uint64_t calls = 0, total = 0, counted = 0;
    size_t nranks = 0;
    const struct fact *most = facts, *least = facts, *rank_most[WORLD_RANKS] = {facts};
    for (size_t i = 0; i < n; i++) {
        wall[i] = (double)facts[i].wall;
        calls += facts[i].calls;
        total += facts[i].wall;
        most = facts[i].wall > most->wall ? &facts[i] : most;
        least = facts[i].wall < least->wall ? &facts[i] : least;
        if (i == 0 || facts[i].rank != facts[i - 1].rank)
            rank_most[nranks++] = &facts[i];
        else if (facts[i].wall > rank_most[nranks - 1]->wall)
            rank_most[nranks - 1] = &facts[i];
    }
    const struct fact *rank_least = rank_most[0];
    for (size_t i = 0; i < nranks; i++) {
        of_rank[i] = (double)rank_most[i]->wall;
        rank_least = rank_most[i]->wall < rank_least->wall ? rank_most[i] : rank_least;
    }
    CHECK_INT(row->calls.low, calls);
    CHECK_INT(row->total.low, total);
    check_sum(&row->threads, wall, n);
    check_sum(&row->ranks, of_rank, nranks);
    check_extreme(row->max, most->wall, most->rank, most->thread);
    check_extreme(row->min, least->wall, least->rank, least->thread);
    check_extreme(row->min_rank, rank_least->wall, rank_least->rank, rank_least->thread);
    for (uint32_t i = 0; i < row->nbuckets; i++) {
        const struct gptl_ranks_bucket *bucket = &tree->buckets[row->bucket + i];
        uint64_t expected = 0;
        for (size_t k = 0; k < nranks; k++)
            expected += gptl_ranks_bucket(rank_most[k]->wall) == bucket->bucket;
        CHECK_INT(bucket->ranks, expected);
        CHECK(i == 0 || bucket[-1].bucket < bucket->bucket);
        counted += bucket->ranks;
    }
    CHECK_INT(counted, nranks);
}

/* All facts with the same path, one after another, are a row, and there are no other rows. */
static uint32_t check_rows(const struct gptl_ranks_tree *tree, uint32_t first,
                           const struct fact *facts, size_t n)
{
    char path[PATH] = "";
    uint32_t at = first;
    for (size_t i = 0, end; i < n; i = end, at++) {
        for (end = i; end < n && strcmp(facts[end].path, facts[i].path) == 0;)
            end++;
        CHECK(at < gptl_ranks_nrows(tree));
        const struct gptl_ranks_row *row = &tree->rows[at];
        const char *name = gptl_ranks_name(tree, at);
        snprintf(path + (row->depth ? 4 * (row->depth - 1) : 0), 5, "%s", name + 1);
        CHECK_STRING(path, facts[i].path);
        check_row(tree, row, facts + i, end - i);
    }
    return at;
}

/* The facts by region: a thread's paths that end there are one. */
static size_t sum_regions(struct fact *to, const struct fact *facts, size_t n)
{
    size_t m = 0, kept = 0;
    for (size_t i = 0; i < n; i++) {
        to[m] = facts[i];
        memmove(to[m].path, to[m].path + strlen(to[m].path) - 4, 5);
        m++;
    }
    qsort(to, m, sizeof *to, compare_facts);
    for (size_t i = 0; i < m; i++) {
        if (kept > 0 && compare_facts(&to[kept - 1], &to[i]) == 0) {
            to[kept - 1].calls += to[i].calls;
            to[kept - 1].wall += to[i].wall;
        } else {
            to[kept++] = to[i];
        }
    }
    return kept;
}

static void check_merged(struct job *job)
{
    const struct gptl_ranks_tree *tree = &job->merged;
    struct fact *regions = calloc(job->nfacts + 1, sizeof *regions);
    CHECK(tree->head);
    if (job->nfacts > 0)
        qsort(job->facts, job->nfacts, sizeof *job->facts, compare_facts);
    size_t nregions = sum_regions(regions, job->facts, job->nfacts);
    CHECK_INT(check_rows(tree, 0, regions, nregions), tree->head->nregions);
    CHECK_INT(check_rows(tree, tree->head->nregions, job->facts, job->nfacts),
              gptl_ranks_nrows(tree));
    CHECK_INT(tree->head->nranks, job->nranks);
    CHECK_REAL(tree->head->elapsed, job->nranks);
    free(regions);
}

/* ---- Many ranks ---------------------------------------------------------------------------- */

static int reduce(const struct gptl_transport *transport, void *argument)
{
    struct job *job = argument;
    struct gptl_ranks_tree tree;
    const char *why = NULL;
    allocated = most_allocated = 0;
    CHECK_OK(gptl_ranks_make(&tree, &job->ranks[transport->rank].profile, transport->rank));
    most_allocated = allocated;
    int result = gptl_ranks_reduce(transport, &tree, &why);
    job->most[transport->rank] = most_allocated;
    if (transport->rank == 0)
        job->merged = tree;
    return gptl_ranks_tell(transport, result);
}

static int bits(int size)
{
    int n = 0;
    while (1 << n < size)
        n++;
    return n;
}

static struct job job_new(int nranks)
{
    struct job job = {.nranks = nranks, .ranks = calloc((size_t)nranks, sizeof *job.ranks)};
    for (int i = 0; i < NAMES; i++)
        snprintf(names[i], sizeof names[i], "r%04d", i);
    return job;
}

static void job_free(struct job *job)
{
    for (int i = 0; i < job->nranks; i++)
        rank_profile_free(&job->ranks[i]);
    gptl_ranks_tree_free(&job->merged);
    free(job->ranks);
    free(job->facts);
}

static void run_job(struct job *job)
{
    struct world world;
    int results[WORLD_RANKS];
    world_run(&world, job->nranks, -1, reduce, job, results);
    for (int i = 0; i < job->nranks; i++) {
        CHECK_INT(results[i], 0);
        CHECK_THAT(world.nmessages[i] <= 2 * bits(job->nranks), "rank %d of %d had %d messages", i,
                   job->nranks, world.nmessages[i]);
    }
    check_merged(job);
    size_t merged = (size_t)job->merged.head->size;
    /* The numbers of regions are added: four bytes for each merged one. */
    size_t regions = 8 * ((size_t)job->merged.head->nregions + 64);
    CHECK_THAT(job->most[0] <= 2 * merged + world.largest[0] + regions,
               "%zu bytes at rank 0 of %d, of which %zu are the result and %zu the largest message",
               job->most[0], job->nranks, merged, world.largest[0]);
    job_free(job);
}

/* Any trees over few regions, so that much is common; a rank has 0 to 3 threads. */
static void alike(void **state)
{
    (void)state;
    for (int n = 1; n <= 64; n += n < 18 ? 1 : n == 33 ? 31 : n == 63 ? 1 : 5) {
        struct job job = job_new(n);
        for (int i = 0; i < n; i++) {
            int nthreads = (int)fixture_random(4);
            rank_profile_init(&job.ranks[i], i, nthreads);
            for (int t = 0; t < nthreads; t++)
                random_thread(&job, i, t, fixture_random(60), 0, 12);
        }
        run_job(&job);
    }
}

/* No two ranks have a region in common. */
static void disjoint(void **state)
{
    (void)state;
    for (int n = 2; n <= 64; n += n < 8 ? 1 : n / 2) {
        struct job job = job_new(n);
        for (int i = 0; i < n; i++) {
            uint32_t first = (uint32_t)i * 15;
            rank_profile_init(&job.ranks[i], i, 1);
            random_thread(&job, i, 0, i % 5 == 3 ? 0 : 40, first, first + 15);
        }
        run_job(&job);
    }
}

static void thousand_regions(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 3, 7, 33};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        struct job job = job_new(sizes[k]);
        for (int i = 0; i < sizes[k]; i++) {
            rank_profile_init(&job.ranks[i], i, 1);
            rank_profile_room(&job.ranks[i], 0, NAMES + 1);
            for (uint32_t r = 0; r < NAMES; r++) {
                char path[PATH];
                snprintf(path, sizeof path, r % 10 ? "%04u%04u" : "%04u", r - r % 10, r);
                uint64_t wall = (uint64_t)(i + 1) * MS + r;
                rank_profile_add(&job.ranks[i], 0, r % 10 ? r - r % 10 + 1 : 0, r + 1, names[r],
                                 r + 1, wall);
                add_fact(&job, path, i, 0, r + 1, wall);
            }
        }
        run_job(&job);
    }
}

static void nobody_measured(void **state)
{
    (void)state;
    struct job job = job_new(5);
    for (int i = 0; i < 5; i++)
        rank_profile_init(&job.ranks[i], i, 0);
    run_job(&job);
}

/* ---- What goes wrong ----------------------------------------------------------------------- */

static struct job small_job(int nranks)
{
    struct job job = job_new(nranks);
    for (int i = 0; i < nranks; i++) {
        rank_profile_init(&job.ranks[i], i, 1);
        random_thread(&job, i, 0, 10, 0, 5);
    }
    return job;
}

/* No rank waits forever, and all ranks know that there is no result. */
static void message_lost(void **state)
{
    (void)state;
    for (int lost = 1; lost < 11; lost++) {
        struct job job = small_job(11);
        struct world world;
        int results[WORLD_RANKS];
        world_run(&world, 11, lost, reduce, &job, results);
        for (int i = 0; i < 11; i++)
            CHECK_INT(results[i], -1);
        CHECK(!job.merged.head);
        job_free(&job);
    }
}

static void no_memory(void **state)
{
    (void)state;
    struct job job = small_job(2);
    struct gptl_ranks_tree trees[2], merged;
    long n = 0;
    for (int k = 0; k < 2; k++) {
        for (n = 0;; n++) {
            fail_after = n;
            int result = gptl_ranks_make(&trees[k], &job.ranks[k].profile, k);
            fail_after = -1;
            if (result == 0)
                break;
            CHECK(!trees[k].head);
        }
        CHECK(n > 5);
    }
    for (n = 0;; n++) {
        size_t before = allocated;
        fail_after = n;
        int result = gptl_ranks_merge(&merged, &trees[0], &trees[1]);
        fail_after = -1;
        if (result == 0)
            break;
        CHECK(!merged.head);
        CHECK_INT(allocated, before);
    }
    CHECK(n > 3);
    gptl_ranks_tree_free(&merged);
    gptl_ranks_tree_free(&trees[0]);
    gptl_ranks_tree_free(&trees[1]);
    job_free(&job);
}

/* A block is refused, or can be merged without reading beyond it. */
static void damaged(void **state)
{
    (void)state;
    struct job job = small_job(2);
    struct gptl_ranks_tree tree, other, opened, merged;
    int refused = 0;
    CHECK_OK(gptl_ranks_make(&tree, &job.ranks[0].profile, 0));
    CHECK_OK(gptl_ranks_make(&other, &job.ranks[1].profile, 1));
    size_t size = (size_t)tree.head->size;
    for (size_t i = 0; i < size; i++) {
        char *block = malloc(size);
        memcpy(block, tree.head, size);
        block[i] = (char)(block[i] ^ 1 << i % 8);
        if (gptl_ranks_tree_open(&opened, block, size)) {
            refused++;
        } else {
            CHECK_OK(gptl_ranks_merge(&merged, &opened, &other));
            gptl_ranks_tree_free(&merged);
        }
        free(block);
    }
    CHECK(refused > 200);
    for (size_t less = 0; less < size; less += 1 + less / 8) {
        char *block = malloc(less + 1);
        memcpy(block, tree.head, less);
        CHECK_INT(gptl_ranks_tree_open(&opened, block, less), -1);
        free(block);
    }
    CHECK_OK(gptl_ranks_tree_open(&opened, tree.head, size));
    gptl_ranks_tree_free(&tree);
    gptl_ranks_tree_free(&other);
    job_free(&job);
}

int main(void)
{
    world_malloc = __real_malloc; /* of the network, not of a rank */
    world_free = __real_free;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alike),
        cmocka_unit_test(disjoint),
        cmocka_unit_test(thousand_regions),
        cmocka_unit_test(nobody_measured),
        cmocka_unit_test(message_lost),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
