/*
 * 200,000 nested regions, in two threads. A start must not visit all enclosing regions: two times
 * 20 billion visits would take longer than the time limit of a test.
 */
#include "check.h"

#include <pthread.h>

enum { DEPTH = 200000 };

static void *nest(void *unused)
{
    static _Thread_local char name[16];
    for (int i = 0; i < DEPTH; i++) {
        snprintf(name, sizeof name, "r%d", i);
        CHECK_OK(GPTLstart(name));
    }
    CHECK_OK(GPTLstart("r0")); /* a back edge to the outermost region */
    CHECK_OK(GPTLstop("r0"));
    for (int i = DEPTH - 1; i >= 0; i--) {
        snprintf(name, sizeof name, "r%d", i);
        CHECK_OK(GPTLstop(name));
    }
    return unused;
}

int main(void)
{
    CHECK_OK(GPTLinitialize());
    nest(NULL);
    pthread_t thread;
    CHECK_OK(pthread_create(&thread, NULL, nest, NULL));
    CHECK_OK(pthread_join(thread, NULL));
    for (int t = 0; t < 2; t++) {
        int n = 0;
        CHECK_OK(GPTLget_nregions(t, &n));
        CHECK_INT(n, DEPTH);
        CHECK_INT(check_count("r0", t), 2);
        CHECK_INT(check_count("r1", t), 1);
        CHECK_INT(check_count("r199999", t), 1);
        CHECK(check_seconds("r0", t) >= check_seconds("r199999", t));
    }
    CHECK_OK(GPTLfinalize());
    return 0;
}
