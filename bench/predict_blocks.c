/* predict_blocks.c - gptl predict: the time for a signature of 100,000 blocks. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCKS = 100000, FUNCTIONS = 1000, REGIONS = 1000 };

static FILE *create(const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file)
        bench_stop(1, "no file can be made");
    return file;
}

static void write_signature(void)
{
    FILE *to = create("signature.json");
    fputs("{\"format\":\"gptl-signature\",\"version\":1,\"program\":\"p\",\"machines\":[{\"name\":"
          "\"m\","
          "\"line_bytes\":64,\"caches\":[{\"level\":1,\"bytes\":32768,\"line_bytes\":64,"
          "\"associativity\":8}]}],\"stride_bins_bytes\":[0,8,64,4096],\"regions\":[",
          to);
    for (int i = 0; i < REGIONS; i++) {
        fprintf(to, "%s{\"id\":%d,\"parent\":", i > 0 ? "," : "", i);
        fprintf(to, i > 0 ? "%d" : "null", i / 10);
        fprintf(to, ",\"name\":\"region %d\",\"calls\":1}", i);
    }
    fputs("],\"functions\":[", to);
    for (int i = 0; i < FUNCTIONS; i++)
        fprintf(to, "%s{\"name\":\"f%d\",\"file\":\"f.c\",\"module\":\"p\"}", i > 0 ? "," : "", i);
    fputs("],\"columns\":[\"region\",\"function\",\"line\",\"address\",\"executions\","
          "\"instructions\",\"loads\",\"stores\",\"load_bytes\",\"store_bytes\",\"flops_scalar\","
          "\"flops_vector\",\"flops_fused\",\"divides\",\"float_instructions\",\"random\","
          "\"working_set_bytes\",\"scattered_set_bytes\",\"strides\",\"found\"],\"blocks\":[",
          to);
    for (int i = 0; i < BLOCKS; i++)
        fprintf(to,
                "%s\n[%d,%d,%d,%d,1000,9000,3000,1000,24000,8000,2000,0,0,0,2000,1000,%d,%d,"
                "[0,2500,0,500,1000],[[[1500,500],[],[500,500],[],[500,0],[400,100],[]]]]",
                i > 0 ? "," : "", i % REGIONS, i % FUNCTIONS, i, 16 * i, 64 * (i + 1),
                32 * (i + 1));
    fputs("]}\n", to);
    if (fclose(to))
        bench_stop(1, "the signature cannot be written");
}

static void write_machine(void)
{
    static const char *const accesses[] = {"sequential", "random", "dependent"};
    FILE *to = create("machine.json");
    fputs(
        "{\"format\":\"gptl-machine\",\"version\":1,\"name\":\"m\",\"made_from\":null,\"edits\":[],"
        "\"host\":\"\",\"date\":\"\",\"processor\":\"\",\"cores\":1,\"line_bytes\":64,\"caches\":[{"
        "\"level\":1,\"bytes\":32768,\"line_bytes\":64,\"associativity\":8,\"shared_by_cores\":1,"
        "\"source\":\"kernel\"}],\"rates\":[",
        to);
    for (int i = 0; i < 3; i++) {
        fprintf(to,
                "%s{\"operation\":\"load\",\"access\":\"%s\",\"width\":\"scalar\","
                "\"access_bytes\":8,\"pages\":\"small\",\"cores\":1,\"points\":[",
                i > 0 ? "," : "", accesses[i]);
        for (int k = 0; k < 60; k++)
            fprintf(to, "%s{\"working_set_bytes\":%.0f,\"accesses_per_second\":1e%d,\"spread\":0}",
                    k > 0 ? "," : "", 4096 * exp2(k / 4.0), 9 - i);
        fputs("]}", to);
    }
    fputs("],\"arithmetic\":[],\"instructions_per_second\":1e10,\"network\":null}\n", to);
    if (fclose(to))
        bench_stop(1, "the machine cannot be written");
}

int main(void)
{
    char figure[32];

    bench_open();
    bench_enter_tempdir();
    write_signature();
    write_machine();
    double begin = bench_seconds();
    if (system(BENCH_GPTL " predict signature.json machine.json >prediction"))
        bench_stop(1, "gptl predict failed");
    snprintf(figure, sizeof figure, "%.2f s", bench_seconds() - begin);
    bench_row_text("prediction of 100,000 blocks", "-", figure, NAN, "1 s");
    bench_close();
}
