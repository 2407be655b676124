/*
 * unit_ended_threads.c - threads that are ended within the library, by pthread_exit in a signal
 * handler or by cancellation: the state after each possible instruction. The next thread in the
 * slot counts exactly, and no thread waits for a lock.
 */
#include "config.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "fake.h"

#include "core/busy.h"
#include "core/frame.h"
#include "core/unwound.h"

#define load(p) atomic_load_explicit(p, memory_order_relaxed)
#define store(p, v) atomic_store_explicit(p, v, memory_order_relaxed)

static void one(const char *name)
{
    GPTLstart(name);
    pass(10);
    GPTLstop(name);
}

/* The node of NAME, created and left before. */
static struct gptl_node *node_of(const char *name)
{
    GPTLstart(name);
    struct gptl_node *node = load(&load(&gptl_tls->top)->node);
    GPTLstop(name);
    return node;
}

/* A start that has marked the node as open, and has not pushed a frame. */
static void within_start(void)
{
    store(&node_of("cut")->open, 1);
}

/* A start that has pushed a frame, which still has its previous node. */
static void within_push(void)
{
    struct gptl_thread *t = gptl_tls;
    one("earlier");
    store(&node_of("cut")->open, 1);
    store(&load(&t->top)[1].node, node_of("earlier"));
    store(&t->top, load(&t->top) + 1);
}

/* A stop that has popped the frame, and has not marked the node as closed. */
static void within_stop(void)
{
    GPTLstart("around");
    GPTLstart("cut");
    store(&gptl_tls->top, load(&gptl_tls->top) - 1);
}

static void with_the_lock(void)
{
    one("cut");
    gptl_lock();
    gptl_lock();
}

static void within_the_slow_path(void)
{
    GPTLstart("cut");
    gptl_busy_set(gptl_tls, 2, NULL);
}

static void without_storage(void)
{
    one("cut");
    gptl_tls = &gptl_limbo;
}

static void *cut_off(void *way)
{
    void (*leave)(void) = *(void (**)(void))way;
    one("cut");
    one("cut");
    leave();
    return NULL;
}

static void *go_on(void *unused)
{
    one("cut");
    GPTLstart("around");
    one("cut");
    GPTLstop("around");
    return unused;
}

static void in_thread(void *(*work)(void *), void *argument)
{
    pthread_t thread;
    CHECK_OK(pthread_create(&thread, NULL, work, argument));
    CHECK_OK(pthread_join(thread, NULL));
}

static void test_each_way(void **state)
{
    (void)state;
    static void (*const ways[])(void) = {within_start,  within_push,          within_stop,
                                         with_the_lock, within_the_slow_path, without_storage};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        GPTLreset();
        in_thread(cut_off, (void *)&ways[i]);
        struct fake_copy c = fake_copy(); /* hangs if the lock is held */
        const struct gptl_node_copy *cut = node_at(copy_of_thread(c, 1), "cut");
        uint64_t count = cut->count, total = cut->total;
        fake_copy_free(c);
        in_thread(go_on, NULL);
        c = fake_copy();
        cut = node_at(copy_of_thread(c, 1), "cut");
        CHECK_INT(cut->count, count + 1);
        CHECK_INT(cut->total, total + 10);
        CHECK_INT(cut->recurse, 0);
        CHECK_INT(node_at(copy_of_thread(c, 1), "around/cut")->recurse, 0);
        fake_copy_free(c);
        const struct gptl_thread *t = gptl_thread_by_slot(1);
        for (uint32_t k = 0; k < load(&t->tree.nnodes); k++)
            CHECK_INT(gptl_node_open(gptl_tree_node(&t->tree, k)), 0);
    }
}

/* With a result, although it arrived when it could not be applied. */
static atomic_int is_cancelled;

static void *hold_lock(void *unused)
{
    int old;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
    gptl_lock();
    is_cancelled = 1;
    while (is_cancelled == 1)
        sched_yield();
    gptl_unlock();
    for (;;)
        pthread_testcancel();
    return unused;
}

static void test_cancellation_while_the_lock_is_held(void **state)
{
    (void)state;
    pthread_t thread;
    void *result = NULL;
    CHECK_OK(pthread_create(&thread, NULL, hold_lock, NULL));
    while (!is_cancelled)
        sched_yield();
    CHECK_OK(pthread_cancel(thread));
    is_cancelled = 2;
    CHECK_OK(pthread_join(thread, &result));
    assert_ptr_equal(result, PTHREAD_CANCELED);
    one("after");
}

/* An exit that matches a frame which another call has left: its node is not open. */
static void test_stop_of_what_is_not_open(void **state)
{
    (void)state;
    one("other");
    struct gptl_node *node = node_of("other");
    uint64_t count = load(&node->count);
    store(&load(&gptl_tls->top)[1].node, node);
    store(&load(&gptl_tls->top)[1].start, fake_ticks);
    store(&gptl_tls->top, load(&gptl_tls->top) + 1);
    GPTLstop("other");
    CHECK_INT(load(&node->open), 0);
    CHECK_INT(load(&node->count), count);
    one("other");
    CHECK_INT(load(&node->count), count + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAKE_TEST(test_cancellation_while_the_lock_is_held),
        FAKE_TEST(test_each_way),
        FAKE_TEST(test_stop_of_what_is_not_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
