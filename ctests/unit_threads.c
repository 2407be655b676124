/* unit_threads.c - slots and their reuse, exits with open regions, canceled threads. */
#include "config.h"

#include "fake.h"
#include "worker.h"

static void *one_call(void *name)
{
    CHECK_OK(GPTLstart(name));
    CHECK_OK(GPTLstop(name));
    return NULL;
}

static void run_thread(void *(*function)(void *), void *argument)
{
    pthread_t thread;
    CHECK_OK(pthread_create(&thread, NULL, function, argument));
    CHECK_OK(pthread_join(thread, NULL));
}

/* Consecutive threads need one slot, and its tree keeps the calls of all. */
static void test_many_threads_one_slot(void **state)
{
    /* The emulator of ctests/pmu sets the feasible number. */
    const char *fewer = getenv("GPTL_TEST_THREADS");
    const int threads = fewer ? atoi(fewer) : 100000;
    (void)state;
    size_t memory = 0;
    for (int i = 0; i < threads; i++) {
        run_thread(one_call, "x");
        if (i == 100)
            memory = gptl_mem_used();
    }
    CHECK_INT(gptl_mem_used(), memory);
    struct fake_copy c = fake_copy();
    CHECK_INT(c.n, 1);
    CHECK_INT(c.all->thread, 1);
    CHECK_INT(c.all->nthreads_served, threads);
    CHECK_INT(c.all->live, 0);
    CHECK_NODE(c.all, "x", threads, 0);
    fake_copy_free(c);
}

static void test_lowest_free_slot(void **state)
{
    (void)state;
    struct worker *w[5];
    for (int i = 0; i < 5; i++) {
        w[i] = worker_begin();
        CHECK_OK(worker_start(w[i], "x"));
        CHECK_INT(worker_slot(w[i]), i + 1);
    }
    worker_end(w[1]);
    worker_end(w[3]);
    for (int i = 1; i <= 3; i += 2) {
        w[i] = worker_begin();
        CHECK_OK(worker_start(w[i], "x"));
        CHECK_INT(worker_slot(w[i]), i + 1);
    }
    CHECK_OK(GPTLstart("x"));
    CHECK_INT(gptl_thread_own()->slot, 0);
    struct fake_copy c = fake_copy();
    CHECK_INT(c.n, 6);
    CHECK_INT(copy_of_thread(c, 2)->nthreads_served, 2);
    CHECK_INT(copy_of_thread(c, 3)->nthreads_served, 1);
    CHECK_INT(copy_of_thread(c, 3)->live, 1);
    fake_copy_free(c);
    for (int i = 0; i < 5; i++)
        worker_end(w[i]);
}

/* The open regions of an exiting thread end then, are counted, and are marked as unstopped. */
static void test_exit_with_open_regions(void **state)
{
    (void)state;
    struct worker *w = worker_begin();
    CHECK_OK(worker_start(w, "A"));
    pass(10);
    CHECK_OK(worker_start(w, "B"));
    CHECK_OK(worker_start(w, "A"));
    pass(5);
    int errors = GPTLnum_errors();
    worker_end(w);
    pass(100);
    struct fake_copy c = fake_copy();
    CHECK_NODE(copy_of_thread(c, 1), "A", 2, 15);
    CHECK_NODE(copy_of_thread(c, 1), "A/B", 1, 5);
    CHECK_INT(node_at(copy_of_thread(c, 1), "A")->unstopped, 2);
    CHECK_INT(node_at(copy_of_thread(c, 1), "A/B")->unstopped, 1);
    CHECK_INT(node_at(copy_of_thread(c, 1), "A")->open, 0);
    fake_copy_free(c);
    CHECK_INT(GPTLnum_errors(), errors);
    w = worker_begin(); /* the next one begins without open regions */
    CHECK_ERROR(worker_stop(w, "A"));
    CHECK_OK(worker_start(w, "C"));
    CHECK_INT(worker_slot(w), 1);
    CHECK_OK(worker_stop(w, "C"));
    worker_end(w);
    c = fake_copy();
    CHECK_NODE(copy_of_thread(c, 1), "C", 1, 0);
    fake_copy_free(c);
}

static void test_exit_with_orders(void **state)
{
    (void)state;
    struct worker *w = worker_begin();
    CHECK_OK(worker_start(w, "A"));
    pass(10);
    CHECK_OK(GPTLreset());
    pass(5);
    worker_end(w);
    CHECK_REAL(check_seconds("A", 1), 5e-9);
}

static void *cancelled_inside(void *at)
{
    CHECK_OK(GPTLstart("A"));
    CHECK_OK(GPTLstart("B"));
    *(_Atomic int *)at = 1;
    for (;;)
        pause();
    return NULL;
}

static void test_cancelled(void **state)
{
    (void)state;
    _Atomic int at = 0;
    pthread_t thread;
    CHECK_OK(pthread_create(&thread, NULL, cancelled_inside, &at));
    while (!at)
        continue;
    pass(7);
    CHECK_OK(pthread_cancel(thread));
    CHECK_OK(pthread_join(thread, NULL));
    struct fake_copy c = fake_copy();
    CHECK_NODE(copy_of_thread(c, 1), "A/B", 1, 7);
    CHECK_INT(node_at(copy_of_thread(c, 1), "A/B")->unstopped, 1);
    fake_copy_free(c);
    CHECK_OK(GPTLstart("A"));
    CHECK_OK(GPTLstop("A"));
}

/* Destructors of the host's thread-specific data may still start regions. */
static pthread_key_t key;

static void late(void *name)
{
    CHECK_OK(GPTLstart(name));
    CHECK_OK(GPTLstop(name));
}

static void *with_destructor(void *name)
{
    CHECK_OK(pthread_setspecific(key, name));
    return one_call(name);
}

static void test_start_in_destructor(void **state)
{
    (void)state;
    CHECK_OK(pthread_key_create(&key, late));
    for (int i = 0; i < 50; i++)
        run_thread(with_destructor, "x");
    CHECK_OK(pthread_key_delete(key));
    struct fake_copy c = fake_copy();
    CHECK_BETWEEN(c.n, 1, 2);
    uint64_t calls = 0;
    for (int i = 0; i < c.n; i++) {
        calls += copy_calls(&c.all[i]);
        CHECK_INT(c.all[i].live, 0);
    }
    CHECK_INT(calls, 100);
    fake_copy_free(c);
}

/* A state is freed when its thread ends after the measurement. */
static void test_exit_after_finalize(void **state)
{
    (void)state;
    struct worker *w = worker_begin();
    CHECK_OK(worker_start(w, "A"));
    fake_teardown(state);
    CHECK_INT(worker_stop(w, "A"), -1);
    worker_end(w);
    fake_setup(state);
    CHECK_OK(GPTLstart("x"));
    CHECK_OK(GPTLstop("x"));
    w = worker_begin();
    CHECK_OK(worker_start(w, "B"));
    CHECK_INT(worker_slot(w), 1);
    CHECK_OK(worker_stop(w, "B"));
    struct fake_copy c = fake_copy();
    CHECK_INT(c.n, 2);
    CHECK_NODE(copy_of_thread(c, 1), "B", 1, 0);
    CHECK(!node_at(copy_of_thread(c, 1), "A"));
    fake_copy_free(c);
    worker_end(w);
}

/* A thread that survives from one measurement to the next, with a region open in between. */
static void test_thread_lives_on(void **state)
{
    struct worker *w = worker_begin();
    CHECK_OK(worker_start(w, "A"));
    CHECK_OK(worker_start(w, "B"));
    fake_teardown(state);
    CHECK_INT(worker_start(w, "C"), -1);
    fake_setup(state);
    int errors = GPTLnum_errors();
    CHECK_OK(worker_start(w, "C"));
    pass(3);
    CHECK_OK(worker_stop(w, "C"));
    CHECK_OK(worker_stop(w, "B")); /* of the earlier measurement: no errors */
    CHECK_OK(worker_stop(w, "A"));
    CHECK_INT(GPTLnum_errors(), errors);
    CHECK_ERROR(worker_stop(w, "A"));
    struct fake_copy c = fake_copy();
    CHECK_NODE(copy_of_thread(c, worker_slot(w)), "C", 1, 3);
    CHECK(!node_at(copy_of_thread(c, worker_slot(w)), "A"));
    fake_copy_free(c);
    worker_end(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAKE_TEST(test_many_threads_one_slot),
        FAKE_TEST(test_lowest_free_slot),
        FAKE_TEST(test_exit_with_open_regions),
        FAKE_TEST(test_exit_with_orders),
        FAKE_TEST(test_cancelled),
        FAKE_TEST(test_start_in_destructor),
        FAKE_TEST(test_exit_after_finalize),
        FAKE_TEST(test_thread_lives_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
