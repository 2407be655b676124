/*
 * fortran.c - start and stop from Fortran (one literal name, by handle, a name padded with blanks),
 * and the same pair from C.
 */
#include "bench.h"

#include <stdio.h>

bench_run bench_fortran_literal, bench_fortran_handle, bench_fortran_padded;

int main(void)
{
    struct bench_work work[4] = {
        {0},
        {.run = bench_run_pair, .pairs = 1},
        {.run = bench_fortran_literal, .pairs = 1},
        {.run = bench_fortran_handle, .pairs = 1},
    };
    struct bench_work padded[2] = {{0}, {.run = bench_fortran_padded, .pairs = 1}};
    char more[32];

    bench_open();
    work[0] = padded[0] = bench_library(NULL);
    bench_compare(work, 4);
    bench_compare(padded, 2);
    bench_row("Fortran start+stop, one literal name", work[0].ns, work[2].ns, "1.35x");
    bench_row("Fortran start+stop by handle", work[0].ns, work[3].ns, "1.20x");
    bench_row("Fortran start+stop, 64 characters, 36 blanks", padded[0].ns, padded[1].ns, "shown");
    snprintf(more, sizeof more, "%.1f ns more", work[2].ns - work[1].ns);
    bench_row_text("Fortran literal name, to C", "C", more, work[2].ns / work[1].ns, "4 ns more");
    bench_close();
}
