/*
 * unit_requests.c - the table of requests, without an MPI: threads that post, complete for each
 * other, and get handles that just belonged to another thread. Their handles share few lines of the
 * table, so that those are full, and larger tables follow.
 */
#include "config.h"

#include <pthread.h>

#include "fake.h"

#include "mpi/file_spans.h"
#include "mpi/notes.h"
#include "mpi/requests.h"

/* ---- An MPI -------------------------------------------------------------------------------- */

enum { HANDLES = 192, LINES = 4, THREADS = 4, ROUNDS = 20000, HELD_AT_ONCE = 24 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct handle {
    MPI_Request request;
    int bytes;
} handle[HANDLES];
static int unused[HANDLES], nunused; /* the most recently returned one is reused first */
static MPI_Request handed_on[HANDLES];
static int nhanded_on;

struct gptl_mpi_next gptl_mpi_next;

void gptl_mpi_find_next(void)
{
    CHECK_FAILED();
}

void gptl_mpi_access_left(void) {}

static int nnoted;

void gptl_mpi_note_completed(uint64_t key, void *node, bool persistent, const MPI_Status *status,
                             int64_t bytes, bool cancelled)
{
    (void)key, (void)node, (void)persistent, (void)status, (void)bytes, (void)cancelled;
    nnoted++;
}

void gptl_mpi_note_forget_nodes(void) {}

static int number_of(MPI_Request request)
{
    for (int i = 0; i < HANDLES; i++)
        if (handle[i].request == request)
            return i;
    CHECK_FAILED();
    return 0;
}

static int complete(MPI_Request *request, MPI_Status *status)
{
    pthread_mutex_lock(&lock);
    int i = number_of(*request);
    status->count_lo = handle[i].bytes;
    unused[nunused++] = i;
    pthread_mutex_unlock(&lock);
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

static int complete_never(MPI_Request *request, int *flag, MPI_Status *status)
{
    (void)request;
    (void)status;
    *flag = 0;
    return MPI_SUCCESS;
}

static int fail_to_complete(MPI_Request *request, MPI_Status *status)
{
    (void)request;
    (void)status;
    return MPI_ERR_OTHER;
}

static MPI_Request take_handle(int bytes)
{
    MPI_Request request = MPI_REQUEST_NULL;
    pthread_mutex_lock(&lock);
    if (nunused > 0) {
        struct handle *h = &handle[unused[--nunused]];
        h->bytes = bytes;
        request = h->request;
    }
    pthread_mutex_unlock(&lock);
    return request;
}

/* Handles that all belong in the first lines. */
static int begin_mpi(void **state)
{
    int n = 0;
    for (MPI_Request r = 1000; n < HANDLES; r++)
        if (gptl_mpi_line_of(gptl_mpi_request_hash(gptl_mpi_request_key(r))) <
            gptl_mpi_lines + LINES)
            handle[n++].request = r;
    for (nunused = 0; nunused < HANDLES; nunused++)
        unused[nunused] = nunused;
    gptl_mpi_next.MPI_Wait = complete;
    gptl_mpi_next.MPI_Test = complete_never;
    (void)state;
    gptl_g.phase = GPTL_OFF;
    return GPTLinitialize(); /* with a real clock: the short functions support no other */
}

/* Nothing has stayed. */
static int end_mpi(void **state)
{
    for (int i = 0; i < 1 << GPTL_MPI_LINE_BITS; i++)
        for (int k = 0; k < GPTL_MPI_LINE; k++)
            CHECK_INT(gptl_mpi_lines[i].place[k].key, GPTL_MPI_FREE);
    for (int i = 0; i < HANDLES; i++)
        CHECK_THAT(!gptl_mpi_hold(&handle[i].request).place, "handle %d has stayed", i);
    CHECK_INT(nunused, HANDLES);
    return fake_teardown(state);
}

/* ---- Works --------------------------------------------------------------------------------- */

static void *post(MPI_Request *request, int bytes)
{
    *request = take_handle(bytes);
    if (*request == MPI_REQUEST_NULL)
        return NULL;
    void *node = gptl_core_begin("MPI_Irecv", GPTL_KIND_MPI);
    gptl_core_end("MPI_Irecv", GPTL_KIND_MPI);
    gptl_mpi_posted(node, GPTL_MPI_RECEIVES, request);
    return node;
}

static int64_t received(struct gptl_node *node)
{
    const struct gptl_amounts *amounts = &node->extra->amounts;
    return amounts->own[GPTL_RECEIVED] + amounts->later[GPTL_RECEIVED];
}

static void wait_for(MPI_Request request)
{
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_INT(request, MPI_REQUEST_NULL);
}

static void hand_on(MPI_Request request)
{
    pthread_mutex_lock(&lock);
    handed_on[nhanded_on++] = request;
    pthread_mutex_unlock(&lock);
}

static void wait_for_another(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    pthread_mutex_lock(&lock);
    if (nhanded_on > 0)
        request = handed_on[--nhanded_on];
    pthread_mutex_unlock(&lock);
    if (request != MPI_REQUEST_NULL)
        wait_for(request);
}

struct talker {
    pthread_t id;
    unsigned random;
    int64_t expected;
    struct gptl_node *node;
};

static unsigned next_random(struct talker *t)
{
    return (t->random = t->random * 1103515245 + 12345) >> 16;
}

static pthread_barrier_t together;

static void *talk(void *arg)
{
    struct talker *t = arg;
    MPI_Request own[HELD_AT_ONCE];
    int n = 0, flag;
    CHECK_OK(GPTLstart("first"));
    CHECK_OK(GPTLstop("first"));
    pthread_barrier_wait(&together); /* a new thread would have the nodes of an ended one */
    for (int i = 0; i < ROUNDS; i++) {
        int bytes = (int)(next_random(t) % 1000);
        void *node = n < HELD_AT_ONCE ? post(&own[n], bytes) : NULL;
        if (node) {
            t->node = node;
            t->expected += bytes;
            n++;
        }
        if (n > 0 && next_random(t) % 8 == 0)
            CHECK_OK(MPI_Test(&own[next_random(t) % (unsigned)n], &flag, MPI_STATUS_IGNORE));
        if (n > 0 && next_random(t) % 4 == 0)
            hand_on(own[--n]);
        if (n > 0 && (n == HELD_AT_ONCE || next_random(t) % 2))
            wait_for(own[--n]);
        wait_for_another();
    }
    while (n > 0)
        wait_for(own[--n]);
    return NULL;
}

/* ---- Tests --------------------------------------------------------------------------------- */

static void test_threads(void **state)
{
    (void)state;
    struct talker talker[THREADS];
    gptl_mpi_special = GPTL_MPI_CONCURRENT;
    CHECK_OK(pthread_barrier_init(&together, NULL, THREADS));
    for (int i = 0; i < THREADS; i++) {
        talker[i] = (struct talker){.random = (unsigned)i + 1};
        CHECK_OK(pthread_create(&talker[i].id, NULL, talk, &talker[i]));
    }
    for (int i = 0; i < THREADS; i++)
        CHECK_OK(pthread_join(talker[i].id, NULL));
    while (nhanded_on > 0)
        wait_for_another();
    for (int i = 0; i < THREADS; i++)
        CHECK_INT(received(talker[i].node), talker[i].expected);
    CHECK_THAT(gptl_mpi_more_lines, "no line was ever full");
}

static void test_one_thread(void **state)
{
    (void)state;
    struct talker t = {.random = 1};
    gptl_mpi_special = 0;
    CHECK_OK(pthread_barrier_init(&together, NULL, 1));
    talk(&t);
    while (nhanded_on > 0)
        wait_for_another();
    CHECK_INT(received(t.node), t.expected);
}

/* A request remains unchanged if its completion fails, and while nothing is measured. */
static void test_failures_and_pauses(void **state)
{
    (void)state;
    MPI_Request request;
    struct gptl_node *node = post(&request, 100);
    int64_t before = received(node);
    gptl_mpi_next.MPI_Wait = fail_to_complete;
    CHECK_INT(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_OTHER);
    gptl_mpi_next.MPI_Wait = complete;
    CHECK_OK(GPTLdisable());
    wait_for(request);
    CHECK_OK(GPTLenable());
    CHECK_INT(received(node) - before, 100);
    request = MPI_REQUEST_NULL; /* one that no call has posted */
    CHECK_OK(MPI_Test(&request, &(int){1}, MPI_STATUS_IGNORE));
}

/* A handle that MPI reuses, although its completion was invisible, belongs to the new request. */
static void test_unseen_end(void **state)
{
    (void)state;
    MPI_Request request, again;
    MPI_Status status;
    struct gptl_node *node = post(&request, 100);
    int64_t before = received(node);
    again = request;
    complete(&again, &status);
    CHECK_THAT(post(&again, 7) == node, "another node");
    CHECK_INT(again, request);
    wait_for(again);
    CHECK_INT(received(node) - before, 7);

    post(&request, 100);
    again = request;
    complete(&again, &status);
    gptl_mpi_forget(&request);
    CHECK_THAT(!gptl_mpi_hold(&request).place, "it is not forgotten");
}

/*
 * Statistics of files are looked up when a file's request is completed, and those of messages for a
 * message.
 */
static void test_notes(void **state)
{
    (void)state;
    static const enum gptl_mpi_what what[] = {GPTL_MPI_RECEIVES, GPTL_MPI_READS, GPTL_MPI_WRITES};
    static const struct {
        unsigned special;
        int noted[3];
    } cases[] = {{0, {0, 0, 0}},
                 {GPTL_MPI_NOTED, {1, 0, 0}},
                 {GPTL_MPI_NOTED_FILES, {0, 1, 1}},
                 {GPTL_MPI_NOTED | GPTL_MPI_NOTED_FILES | GPTL_MPI_CONCURRENT, {1, 1, 1}}};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            MPI_Request request = take_handle(100);
            void *node = gptl_core_begin("MPI_File_iread", GPTL_KIND_MPI);
            gptl_core_end("MPI_File_iread", GPTL_KIND_MPI);
            gptl_mpi_special = cases[i].special;
            gptl_mpi_posted(node, what[k], &request);
            nnoted = 0;
            wait_for(request);
            CHECK_INT(nnoted, cases[i].noted[k]);
        }
    gptl_mpi_special = 0;
}

#define REQUESTS_TEST(f) cmocka_unit_test_setup_teardown(f, begin_mpi, end_mpi)

int main(void)
{
    const struct CMUnitTest tests[] = {
        REQUESTS_TEST(test_threads),
        REQUESTS_TEST(test_one_thread),
        REQUESTS_TEST(test_failures_and_pauses),
        REQUESTS_TEST(test_unseen_end),
        REQUESTS_TEST(test_notes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
