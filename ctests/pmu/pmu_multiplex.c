/*
 * pmu_multiplex.c - more events than counters, which are multiplexed: each value is marked as an
 * estimate, none is far off, and too short regions are marked.
 */
#include "report.h"

/* Six of them can count at a time; with ten turns of 4 ms for each, 0.32 s are too short. */
#define MANY                                                                                       \
    "counters=PAPI_TOT_INS,PAPI_TOT_CYC,PAPI_L1_DCM,PAPI_L1_DCA,PAPI_BR_MSP,PAPI_L2_DCM,"          \
    "PAPI_L1_ICM,PAPI_LD_INS"

/* Return how often the line of region NAME has VALUE in the text report of the same. */
static int times_in_text(const char *name, const char *value)
{
    char line[4096], first[64];
    int n = -1;
    FILE *file = fopen("timing.0", "r");
    CHECK(file);
    while (n < 0 && fgets(line, sizeof line, file)) {
        if (sscanf(line, " %63s", first) != 1 || strcmp(first, name) != 0)
            continue;
        n = 0;
        for (const char *at = line; (at = strstr(at, value)); at += strlen(value))
            n++;
    }
    fclose(file);
    CHECK_THAT(n >= 0, "there is no line of %s", name);
    return n;
}

static void measure(struct report *r)
{
    CHECK_OK(GPTLinitialize());
    CHECK_OK(GPTLstart("long"));
    report_work(120000000);
    CHECK_OK(GPTLstop("long"));
    CHECK_OK(GPTLstart("short"));
    CHECK_OK(GPTLstop("short"));
    *r = report_now();
    CHECK_OK(GPTLfinalize());
}

int main(int argc, char **argv)
{
    static struct report r;
    (void)argc;
    report_options(argv, MANY ";multiplex=on;persec=off;output=text,json");
    measure(&r);
    CHECK_INT(r.nrefused, 0);
    CHECK_INT(r.nmetrics, 8);
    for (int i = 0; i < r.nmetrics; i++)
        CHECK(r.metric[i].estimated);
    double estimate = report_value(&r, 0, "long", "PAPI_TOT_INS");
    printf("of 240,000,000 instructions, estimated: %.0f\n", estimate);
    CHECK_BETWEEN(estimate, 2.4e8 * 0.8, 2.4e8 * 1.2);
    for (int i = 0; i < r.nnodes; i++)
        for (int k = 0; k < r.nmetrics; k++)
            CHECK(!(r.node[i].value[k] < 0));
    CHECK_INT(times_in_text("short", " n/a"), r.nmetrics);
    CHECK_INT(times_in_text("long", " n/a"), 0);
    CHECK_INT(times_in_text("long", " ~"), r.nmetrics);
    return 0;
}
