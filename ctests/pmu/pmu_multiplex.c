/*
 * pmu_multiplex.c - more events than there are counters, which take turns: each value is marked as
 * an estimate, and none is far off.
 */
#include "report.h"

#define MANY                                                                                       \
    "counters=PAPI_TOT_INS,PAPI_TOT_CYC,PAPI_L1_DCM,PAPI_L1_DCA,PAPI_BR_MSP,PAPI_L2_DCM,"          \
    "PAPI_L1_ICM,PAPI_LD_INS,PAPI_SR_INS,PAPI_BR_INS,PAPI_L1_ICA"

static void measure(struct report *r)
{
    CHECK_OK(GPTLinitialize());
    CHECK_OK(GPTLstart("long"));
    report_work(300000000);
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
    report_options(argv, MANY ";multiplex=on;output=json");
    measure(&r);
    CHECK_INT(r.nrefused, 0);
    CHECK_INT(r.nmetrics, 11);
    for (int i = 0; i < r.nmetrics; i++)
        CHECK(r.metric[i].estimated);
    double estimate = report_value(&r, 0, "long", "PAPI_TOT_INS");
    printf("of 600,000,000 instructions, estimated: %.0f\n", estimate);
    CHECK_BETWEEN(estimate, 6e8 * 0.8, 6e8 * 1.2);
    for (int i = 0; i < r.nnodes; i++)
        for (int k = 0; k < r.nmetrics; k++)
            CHECK(!(r.node[i].value[k] < 0));
    return 0;
}
