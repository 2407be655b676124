/* net.c - gptl net: the time to replay 64 ranks with 10,000 messages each. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void replay(const char *pattern, const char *work)
{
    char command[1024], figure[32];
    snprintf(command, sizeof command,
             "PYTHONDONTWRITEBYTECODE=1 python3 " BENCH_NET_TRACE
             " net-traces %s size=1000 ns=1000",
             pattern);
    if (system(command))
        bench_stop(1, "no traces");
    double begin = bench_seconds();
    if (system(BENCH_GPTL " net net-traces --latency 1us --bandwidth 1GB/s >/dev/null"))
        bench_stop(1, "gptl net failed");
    snprintf(figure, sizeof figure, "%.2f s", bench_seconds() - begin);
    bench_row_text(work, "-", figure, NAN, "< 5 s");
    if (system("rm -rf net-traces"))
        bench_stop(1, "the traces cannot be removed");
}

int main(void)
{
    bench_open();
    bench_enter_tempdir();
    replay("ring 64 steps=10000", "replay: ring, 64 x 10,000 messages");
    replay("halo 64 x=8 y=8 periodic=1 steps=2500", "replay: 2-D halo, 64 x 10,000 messages");
    return 0;
}
