/*
 * Measurement is disabled and enabled while other threads start and stop regions: no stop is an
 * error because of that, and afterwards the counts are exact again.
 */
#include <pthread.h>

#include "calls.h"

enum { THREADS = 4, ROUNDS = 2000 };

int main(void)
{
    pthread_t threads[THREADS];
    CHECK_OK(GPTLinitialize());
    for (int i = 0; i < THREADS; i++)
        CHECK_OK(pthread_create(&threads[i], NULL, calls_until_done, NULL));
    for (int i = 0; i < ROUNDS; i++) {
        CHECK_OK(GPTLdisable());
        calls(1);
        CHECK_OK(GPTLenable());
        calls(1);
    }
    calls_done = 1;
    for (int i = 0; i < THREADS; i++)
        CHECK_OK(pthread_join(threads[i], NULL));
    CHECK_INT(GPTLnum_errors(), 0);
    CHECK_INT(check_count("outer", 0), 2 * ROUNDS);
    CHECK_INT(check_count("own0", 0), ROUNDS);
    CHECK_OK(GPTLfinalize());
    return 0;
}
