/* libraries.c - kernels that call other libraries: FFTW's transform, OpenBLAS's DGEMM. */
#include "suite.h"

#include <complex.h>
#include <stdlib.h>

#include <cblas.h>
#include <fftw3.h>

/* ---- One complex transform, out of place ------------------------------------------------------ */

static fftw_plan plan;

/* An estimated plan depends on the size only, not on measurements. */
static void fft_prepare(size_t bytes)
{
    int n = 8;
    while ((size_t)n * 4 * sizeof(fftw_complex) <= bytes)
        n *= 2;
    fftw_complex *in = suite_memory((size_t)n * sizeof *in);
    fftw_complex *out = suite_memory((size_t)n * sizeof *out);
    plan = fftw_plan_dft_1d(n, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
    for (int i = 0; i < n; i++) {
        in[i] = i % 7;
        out[i] = 0;
    }
}

static void fft_sweep(void)
{
    fftw_execute(plan);
}

/* ---- Product of matrices: N x DEPTH times DEPTH x N, as in a factorization --------------------- */

enum { DEPTH = 128 };

static struct {
    double *a, *b, *c;
    int n, depth;
} dgemm;

static size_t entries_of(size_t n)
{
    return n * n + 2 * n * (n < DEPTH ? n : DEPTH);
}

static void dgemm_prepare(size_t bytes)
{
    size_t n = 4;
    while (entries_of(n + 4) * sizeof(double) <= bytes)
        n += 4;
    size_t depth = n < DEPTH ? n : DEPTH;
    dgemm.n = (int)n;
    dgemm.depth = (int)depth;
    dgemm.a = suite_memory(n * depth * sizeof(double));
    dgemm.b = suite_memory(n * depth * sizeof(double));
    dgemm.c = suite_memory(n * n * sizeof(double));
    for (size_t i = 0; i < n * depth; i++)
        dgemm.a[i] = dgemm.b[i] = 0.5;
    for (size_t i = 0; i < n * n; i++)
        dgemm.c[i] = 0;
}

static void dgemm_sweep(void)
{
    int n = dgemm.n, depth = dgemm.depth;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, depth, 1.0, dgemm.a, n, dgemm.b,
                depth, 0.0, dgemm.c, n);
}

const struct kernel suite_kernels[] = {
    {"fft", fft_prepare, fft_sweep},
    {"dgemm", dgemm_prepare, dgemm_sweep},
    {NULL, NULL, NULL},
};
