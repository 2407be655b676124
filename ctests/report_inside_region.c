/* report_inside_region.c - a report of 10,000 regions adds no time to the region that it is written in. */
#include <gptl.h>

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void)
{
    char name[32];
    double inside, around;
    CHECK_OK(GPTLinitialize());
    for (int i = 0; i < 10000; i++) {
        snprintf(name, sizeof name, "region %d", i);
        GPTLstart(name);
        GPTLstop(name);
    }
    GPTLstart("around");
    GPTLstart("inside");
    double begin = now();
    CHECK_OK(GPTLpr_file("report"));
    double passed = now() - begin;
    GPTLstop("inside");
    GPTLstop("around");
    CHECK_OK(GPTLget_wallclock("inside", -1, &inside));
    CHECK_OK(GPTLget_wallclock("around", -1, &around));
    printf("a report of %g s is %g s of the region around it\n", passed, inside);
    CHECK_THAT(inside < 0.2 * passed, "%g of %g s", inside, passed);
    CHECK_THAT(around < 0.2 * passed, "%g of %g s", around, passed);
    unlink("report");
    return 0;
}
