/*
 * 200,000 regions nested in one another, in two threads. A start of one must not look at all that
 * are around it: two times 20 billion looks would take longer than a test may.
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
    CHECK_OK(GPTLstart("r0")); /* leads back all the way */
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
