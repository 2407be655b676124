/*
 * memsig.c - the slowdown of a matrix-vector product in CSR under gptl memsig: user CPU time of a
 * run with 20 products minus a run without products, so that reading at the start does not count;
 * cachegrind in the same way, and Valgrind alone. The matrix has 39 MB.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 100000, EACH = 32, PRODUCTS = 20, NATIVE_PRODUCTS = 400, REPEATS = 3 };

/* Half of the columns are near the diagonal, as in most matrices, the others random. */
static int multiply(int products)
{
    static double value[ROWS * EACH], x[ROWS], y[ROWS];
    static int column[ROWS * EACH];
    unsigned seed = 1;
    for (int i = 0; i < ROWS * EACH; i++) {
        seed = seed * 1664525u + 1013904223u;
        column[i] = (int)(i % 2 ? (unsigned)(i / EACH) + seed / 8 % 64 : seed / 8) % ROWS;
        value[i] = i;
    }
    for (int i = 0; i < ROWS; i++)
        x[i] = i;
    for (int product = 0; product < products; product++)
        for (int i = 0; i < ROWS; i++) {
            double sum = 0;
            for (int j = i * EACH; j < (i + 1) * EACH; j++)
                sum += value[j] * x[column[j]];
            y[i] = sum;
        }
    return y[1] < 0;
}

/* The minimum user CPU time of COMMAND and the number of products. */
static double user_seconds(const char *command, int products)
{
    double least = INFINITY;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        char words[1024];
        struct rusage before, after;
        snprintf(words, sizeof words, "%s %s %d >/dev/null 2>&1", command, "/proc/$PPID/exe",
                 products);
        getrusage(RUSAGE_CHILDREN, &before);
        if (system(words) != 0)
            return NAN;
        getrusage(RUSAGE_CHILDREN, &after);
        double took = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
                      1e-6 * (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec);
        least = took < least ? took : least;
    }
    return least;
}

static void row(const char *work, const char *command, double native, const char *target)
{
    char figure[32], floor[32];
    double each = (user_seconds(command, PRODUCTS) - user_seconds(command, 0)) / PRODUCTS;
    snprintf(floor, sizeof floor, "%.2f ms", 1e3 * native);
    snprintf(figure, sizeof figure, "%.2f ms", 1e3 * each);
    bench_row_text(work, floor, figure, each / native, target);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return multiply(atoi(argv[1]));
    bench_open();
    bench_enter_tempdir();
    double native = (user_seconds("", NATIVE_PRODUCTS) - user_seconds("", 0)) / NATIVE_PRODUCTS;
    if (!(native > 0))
        bench_stop(77, "the product cannot be timed");
    row("memsig: Valgrind alone", "valgrind -q --tool=none", native, "-");
    row("memsig: cachegrind",
        "valgrind -q --tool=cachegrind --cachegrind-out-file=/dev/null --D1=32768,8,64 "
        "--LL=1048576,16,64",
        native, "-");
    FILE *machine = fopen("m.json", "w");
    if (!machine)
        bench_stop(1, "no file can be written");
    fputs("{\"format\":\"gptl-machine\",\"version\":1,\"name\":\"m\",\"cores\":1,\"line_bytes\":64,"
          "\"caches\":[{\"level\":1,\"bytes\":32768,\"line_bytes\":64,\"associativity\":8,"
          "\"shared_by_cores\":1,\"source\":\"kernel\"},{\"level\":2,\"bytes\":1048576,"
          "\"line_bytes\":64,\"associativity\":16,\"shared_by_cores\":1,\"source\":\"kernel\"}]}",
          machine);
    fclose(machine);
    row("memsig: caches only", BENCH_GPTL " memsig --only-caches --machine m.json --", native,
        "30");
    row("memsig: all, exact", BENCH_GPTL " memsig --machine m.json --", native, "40");
    /* Only the profile of a measured machine contains a core, which is then simulated as well. */
    if (system(BENCH_GPTL " maps --quick -o measured.json >/dev/null 2>&1") != 0)
        bench_stop(1, "this machine cannot be measured");
    row("memsig: all, of this machine", BENCH_GPTL " memsig --machine measured.json --", native,
        "40");
    row("memsig: two machines", BENCH_GPTL " memsig --machine m.json --machine m.json --", native,
        "+40 %");
    row("memsig: sampled", BENCH_GPTL " memsig --sample=2000000 --machine m.json --", native, "16");
    bench_close();
}
