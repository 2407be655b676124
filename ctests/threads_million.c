/* A million calls on each of eight threads: the counts are exact. */
#include <pthread.h>

#include "check.h"

enum { THREADS = 8, CALLS = 1000000 };

static pthread_barrier_t together;

static void *work(void *unused)
{
    static int handle; /* created by the first thread */
    pthread_barrier_wait(&together);
    CHECK_OK(GPTLstart("outer"));
    for (int i = 0; i < CALLS / 4; i++) {
        GPTLstart("literal");
        GPTLstart_handle("handle", &handle);
        GPTLstop_handle("handle", &handle);
        GPTLstop("literal");
        GPTLstart("literal");
        GPTLstop("literal");
        GPTLstartf("padded  ", 8);
        GPTLstopf("padded  ", 8);
    }
    CHECK_OK(GPTLstop("outer"));
    CHECK_INT(check_count("literal", -1), CALLS / 2);
    CHECK_INT(check_count("handle", -1), CALLS / 4);
    CHECK_INT(check_count("padded", -1), CALLS / 4);
    CHECK(check_seconds("outer", -1) >= check_seconds("literal", -1));
    CHECK(check_seconds("literal", -1) >= check_seconds("handle", -1));
    pthread_barrier_wait(&together);
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];
    CHECK_OK(GPTLinitialize());
    CHECK_OK(pthread_barrier_init(&together, NULL, THREADS));
    for (int i = 0; i < THREADS; i++)
        CHECK_OK(pthread_create(&threads[i], NULL, work, NULL));
    for (int i = 0; i < THREADS; i++)
        CHECK_OK(pthread_join(threads[i], NULL));
    for (int t = 1; t <= THREADS; t++) /* 0 is the main thread's */
        CHECK_INT(check_count("literal", t), CALLS / 2);
    int count = 0;
    CHECK_ERROR(GPTLget_count("literal", 0, &count));
    CHECK_ERROR(GPTLget_count("literal", THREADS + 1, &count));
    double most = 0, imbalance = 0;
    CHECK_OK(GPTLget_threadwork("outer", &most, &imbalance));
    CHECK(most > 0 && imbalance >= 0 && imbalance < most);
    CHECK_OK(GPTLfinalize());
    return 0;
}
