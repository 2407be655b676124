/*
 * Handles: created from the name at first use, then replacing the name, on every thread, and for
 * the lifetime of the process.
 */
#include <limits.h>
#include <pthread.h>
#include <stdint.h>

#include "check.h"

enum { THREADS = 4 };

static int shared;
static pthread_barrier_t together;

static void *use_shared(void *unused)
{
    pthread_barrier_wait(&together);
    for (int i = 0; i < 1000; i++) {
        CHECK_OK(GPTLstart_handle("shared", &shared));
        CHECK_OK(GPTLstop_handle("shared", &shared));
    }
    CHECK_INT(check_count("shared", -1), 1000);
    pthread_barrier_wait(&together); /* before one exits and another takes its slot */
    return unused;
}

static void pair(const char *name, int *handle)
{
    CHECK_OK(GPTLstart_handle(name, handle));
    CHECK_OK(GPTLstop_handle(name, handle));
}

static void wrong_handles(void)
{
    int a = 0, b = 0;
    pair("a", &a);
    pair("b", &b);
    CHECK(a > 0 && b > 0 && a != b);
    int wrong[] = {b, -1, INT_MAX, INT_MIN, 1000000};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        int handle = wrong[i];
        CHECK_ERROR(GPTLstart_handle("a", &handle));
        CHECK_ERROR(GPTLinit_handle("a", &handle));
        CHECK_OK(GPTLstart_handle("a", &a));
        CHECK_ERROR(GPTLstop_handle("a", &handle));
        CHECK_OK(GPTLstop_handle("a", &a));
        CHECK_INT(handle, wrong[i]);
    }
    int zero = 0; /* a stop needs no handle */
    CHECK_OK(GPTLstart("a"));
    CHECK_OK(GPTLstop_handle("a", &zero));
    zero = 0;
    CHECK_ERROR(GPTLstop_handle("a", &zero));
    CHECK_INT(check_count("a", -1), 7);
    CHECK_INT(check_count("b", -1), 1);
}

/* A changed name in a buffer no longer matches the handle. */
static void changed_name(void)
{
    char name[16] = "first";
    int handle = 0;
    for (int i = 0; i < 3; i++)
        pair(name, &handle);
    strcpy(name, "second");
    CHECK_ERROR(GPTLstart_handle(name, &handle));
    strcpy(name, "first");
    pair(name, &handle);
    CHECK_INT(check_count("first", -1), 4);
}

static void wide_handle(void)
{
    const uint16_t one = 1;
    unsigned char low;
    memcpy(&low, &one, 1);
    if (!low)
        return; /* gptl.h promises it for little-endian machines only */
    int64_t wide = 0;
    for (int i = 0; i < 3; i++)
        pair("wide", (int *)(void *)&wide);
    int narrow = 0;
    CHECK_OK(GPTLinit_handle("wide", &narrow));
    CHECK_INT(wide, narrow);
    CHECK_INT(check_count("wide", -1), 3);
}

int main(void)
{
    int early = 0, again = 0;
    CHECK_OK(GPTLinit_handle("early", &early)); /* before the library is on */
    CHECK_INT(GPTLis_initialized(), 0);
    CHECK_OK(GPTLinitialize());
    pair("early", &early);
    CHECK_OK(GPTLinit_handle("early", &early)); /* it is a separate handle */
    wrong_handles();
    changed_name();
    wide_handle();

    CHECK_OK(GPTLstart("early")); /* with and without */
    CHECK_OK(GPTLstop_handle("early", &early));
    CHECK_OK(GPTLstart_handle("early", &early));
    CHECK_OK(GPTLstop("early"));
    CHECK_INT(check_count("early", -1), 3);

    pthread_t threads[THREADS];
    CHECK_OK(pthread_barrier_init(&together, NULL, THREADS));
    for (int i = 0; i < THREADS; i++)
        CHECK_OK(pthread_create(&threads[i], NULL, use_shared, NULL));
    for (int i = 0; i < THREADS; i++)
        CHECK_OK(pthread_join(threads[i], NULL));
    CHECK_OK(GPTLinit_handle("shared", &again));
    CHECK_INT(again, shared);

    CHECK_OK(GPTLfinalize());
    CHECK_OK(GPTLinitialize());
    int before = early;
    pair("early", &early);
    CHECK_INT(early, before);
    CHECK_INT(check_count("early", -1), 1);
    CHECK_ERROR(GPTLstart_handle("later", &early));
    CHECK_OK(GPTLfinalize());
    return 0;
}
