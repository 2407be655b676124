/*
 * clock_while_reporting.c - one thread changes the clock while another one writes reports: no
 * report mixes both. ThreadSanitizer detects more.
 */
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <gptl.h>

static atomic_bool done;

/* Return whether the preamble names one clock with its source. */
static void check_report(void)
{
    char line[512], *found = NULL;
    FILE *file = fopen("report", "r");
    CHECK(file);
    while (!found && fgets(line, sizeof line, file))
        found = strstr(line, "clockgettime") || strstr(line, "gettimeofday") ? line : NULL;
    fclose(file);
    CHECK(found);
    CHECK_THAT((strstr(found, "clock_gettime(") != NULL) == (strstr(found, "clockgettime") != NULL),
               "a clock that is two: %s", found);
}

static void *report(void *arg)
{
    do {
        CHECK_OK(GPTLpr_file("report"));
        check_report();
    } while (!atomic_load(&done));
    return arg;
}

int main(void)
{
    pthread_t thread;
    CHECK_OK(GPTLsetutr(GPTLgettimeofday));
    CHECK_OK(GPTLstart("x"));
    CHECK_OK(GPTLstop("x"));
    CHECK_OK(pthread_create(&thread, NULL, report, NULL));
    for (int i = 0; i < 200; i++)
        CHECK_OK(GPTLsetutr(i % 2 ? GPTLgettimeofday : GPTLclockgettime));
    atomic_store(&done, true);
    CHECK_OK(pthread_join(thread, NULL));
    return 0;
}
