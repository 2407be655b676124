/*
 * pmu_threads.c - each thread counts its own instructions, from its first region on, and none of
 * other threads.
 */
#include <pthread.h>

#include "report.h"

/*
 * Including a first visit. In a thread other than the first one PAPI takes 60 more instructions to
 * find the thread's data: 430 lie between two readings there, and 490 at the first visit.
 */
enum { THREADS = 4, SLACK = 500 };

static const char *const names[THREADS] = {"one", "two", "three", "four"};
static int number_of[THREADS];
static pthread_barrier_t all_live;

/* The I-th executes I + 1 million, in a region of its name; all of them exist at the same time. */
static void *work(void *arg)
{
    intptr_t i = (intptr_t)arg;
    CHECK_OK(GPTLstart("in thread"));
    CHECK_OK(GPTLstart(names[i]));
    report_work((uint64_t)(i + 1) * 500000);
    CHECK_OK(GPTLstop(names[i]));
    pthread_barrier_wait(&all_live);
    CHECK_OK(GPTLstop("in thread"));
    return NULL;
}

/* The one thread that has a node of this name. */
static const struct report_node *only(const struct report *r, const char *name)
{
    const struct report_node *found = NULL;
    for (int i = 0; i < r->nnodes; i++)
        if (strcmp(r->node[i].name, name) == 0) {
            CHECK_THAT(!found, "%s is in two threads", name);
            found = &r->node[i];
        }
    CHECK_THAT(found, "%s is in no thread", name);
    return found;
}

static void check_threads(const struct report *r)
{
    for (int i = 0; i < THREADS; i++) {
        const struct report_node *own = only(r, names[i]);
        number_of[i] = own->thread;
        CHECK(own->thread > 0);
        for (int k = 0; k < i; k++)
            CHECK(number_of[i] != number_of[k]);
        printf("%s, in thread %d: %.0f\n", names[i], own->thread, own->value[0]);
        CHECK_BETWEEN(own->value[0], (i + 1) * 1e6, (i + 1) * 1e6 + SLACK);
        /* The enclosing region, including the wait, but not the work of the others. */
        CHECK_BETWEEN(report_value(r, own->thread, "in thread", "PAPI_TOT_INS"), own->value[0],
                      own->value[0] + 200000);
    }
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    (void)argc;
    report_options(argv, "counters=PAPI_TOT_INS;output=json");
    CHECK_OK(pthread_barrier_init(&all_live, NULL, THREADS));
    CHECK_OK(GPTLinitialize());
    CHECK_OK(GPTLstart("around"));
    for (intptr_t i = 0; i < THREADS; i++)
        CHECK_OK(pthread_create(&thread[i], NULL, work, (void *)i));
    report_work(5000000);
    for (int i = 0; i < THREADS; i++)
        CHECK_OK(pthread_join(thread[i], NULL));
    CHECK_OK(GPTLstop("around"));
    struct report r = report_now();
    CHECK_INT(r.nrefused, 0);
    check_threads(&r);
    /* Its own loop, and the creation of threads and the wait for them. */
    CHECK_BETWEEN(report_value(&r, 0, "around", "PAPI_TOT_INS"), 10e6, 10e6 + 200000);
    CHECK_OK(GPTLfinalize());
    return 0;
}
