/*
 * heat - heat spreads over an insulated square plate.
 *
 *     OMP_NUM_THREADS=2 ./heat heat.in
 *
 * The equation du/dt = a * laplacian(u) on the unit square, no flux through its sides, in cells of
 * width h. Every step of backward Euler solves
 *
 *     (I - dt * a * L) u_new = u_old,      L = the 5-point Laplacian,
 *
 * a symmetric positive definite system, by conjugate gradients without a matrix. Its rows and
 * columns sum to 1, so the heat of the plate is constant: the program checks that.
 *
 * The calls GPTLstart and GPTLstop around each phase give the call tree in timing.0. Those inside
 * parallel regions run in every thread, so each thread has its own times of the kernels.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gptl.h>

struct input {
    int grid;           /* cells per side */
    int steps;          /* time steps */
    double time_step;   /* s */
    double diffusivity; /* m^2/s */
    double tolerance;   /* of the solver, relative */
    char output[256];   /* image file */
};

struct plate {
    int n;     /* cells per side */
    double k;  /* dt * a / h^2, the share that a cell gives to each neighbor */
    double *u; /* temperature */
    double *r; /* residual */
    double *p; /* search direction */
    double *q; /* matrix times direction */
};

static _Noreturn void __attribute__((format(printf, 1, 2))) die(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("heat: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(EXIT_FAILURE);
}

/* ---- Input ---------------------------------------------------------------------------------- */

/* Set the member named KEY; return 0 for an unknown key or an invalid value. */
static int set_value(struct input *in, const char *key, const char *text)
{
    char *end;
    double value = strtod(text, &end);
    int number = end != text && *end == '\0' && isfinite(value);

    if (strcmp(key, "output") == 0)
        return snprintf(in->output, sizeof in->output, "%s", text) < (int)sizeof in->output;
    if (!number || value <= 0.0)
        return 0;
    if (strcmp(key, "grid") == 0 && value >= 2.0 && value <= 20000.0)
        in->grid = (int)value;
    else if (strcmp(key, "steps") == 0 && value >= 1.0 && value <= 1e9)
        in->steps = (int)value;
    else if (strcmp(key, "time_step") == 0)
        in->time_step = value;
    else if (strcmp(key, "diffusivity") == 0)
        in->diffusivity = value;
    else if (strcmp(key, "tolerance") == 0 && value < 1.0)
        in->tolerance = value;
    else
        return 0;
    return 1;
}

static struct input read_input(const char *file)
{
    struct input in = {.grid = 64,
                       .steps = 10,
                       .time_step = 1e-3,
                       .diffusivity = 1.0,
                       .tolerance = 1e-8,
                       .output = "heat.pgm"};
    char line[512], key[64], value[256];
    FILE *f = fopen(file, "r");

    if (f == NULL)
        die("%s: %s", file, strerror(errno));
    for (int number = 1; fgets(line, sizeof line, f) != NULL; number++) {
        line[strcspn(line, "#\n")] = '\0';
        if (line[strspn(line, " \t\r")] == '\0')
            continue;
        if (sscanf(line, " %63[a-z_] = %255s", key, value) != 2 || !set_value(&in, key, value))
            die("%s:%d: cannot use '%s'", file, number, line);
    }
    if (ferror(f))
        die("%s: %s", file, strerror(errno));
    fclose(f);
    return in;
}

/* ---- The plate ------------------------------------------------------------------------------ */

static double *new_field(int n)
{
    double *field = calloc((size_t)n * (size_t)n, sizeof *field);

    if (field == NULL)
        die("no memory for a grid of %d by %d", n, n);
    return field;
}

/* Two hot discs of different size on a cold plate. */
static struct plate initialize(const struct input *in)
{
    int n = in->grid;
    double h = 1.0 / n;
    struct plate s = {.n = n, .k = in->time_step * in->diffusivity / (h * h)};

    s.u = new_field(n);
    s.r = new_field(n);
    s.p = new_field(n);
    s.q = new_field(n);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double y = (i + 0.5) * h, x = (j + 0.5) * h;

            if (hypot(x - 0.3, y - 0.35) < 0.15)
                s.u[(size_t)i * n + j] = 100.0;
            else if (hypot(x - 0.75, y - 0.7) < 0.08)
                s.u[(size_t)i * n + j] = 250.0;
        }
    }
    return s;
}

static void free_plate(struct plate *s)
{
    free(s->u);
    free(s->r);
    free(s->p);
    free(s->q);
}

/* Return the heat of the whole plate, for a heat capacity of 1 per square meter. */
static double total_heat(const struct plate *s)
{
    double sum = 0.0;

    for (size_t c = 0; c < (size_t)s->n * s->n; c++)
        sum += s->u[c];
    return sum / ((double)s->n * s->n);
}

/* ---- Kernels: all threads work, each times its share ----------------------------------------- */

/* q = (I - dt * a * L) p. A side of the plate lacks a neighbor and exchanges no heat there. */
static void apply_laplacian(const struct plate *s, const double *p, double *q)
{
    int n = s->n;

#pragma omp parallel
    {
        GPTLstart("apply_laplacian");
#pragma omp for schedule(static) nowait
        for (int i = 0; i < n; i++) {
            const double *row = p + (size_t)i * n;
            const double *above = i > 0 ? row - n : row;
            const double *below = i < n - 1 ? row + n : row;
            double *out = q + (size_t)i * n;

            out[0] = row[0] + s->k * (3.0 * row[0] - row[1] - above[0] - below[0]);
            for (int j = 1; j < n - 1; j++)
                out[j] =
                    row[j] + s->k * (4.0 * row[j] - row[j - 1] - row[j + 1] - above[j] - below[j]);
            out[n - 1] =
                row[n - 1] + s->k * (3.0 * row[n - 1] - row[n - 2] - above[n - 1] - below[n - 1]);
        }
        GPTLstop("apply_laplacian");
    }
}

static double dot(const struct plate *s, const double *a, const double *b)
{
    size_t cells = (size_t)s->n * s->n;
    double sum = 0.0;

#pragma omp parallel reduction(+ : sum)
    {
        GPTLstart("dot");
#pragma omp for schedule(static) nowait
        for (size_t c = 0; c < cells; c++)
            sum += a[c] * b[c];
        GPTLstop("dot");
    }
    return sum;
}

/* y = alpha * x + beta * y */
static void axpy(const struct plate *s, double alpha, const double *x, double beta, double *y)
{
    size_t cells = (size_t)s->n * s->n;

#pragma omp parallel
    {
        GPTLstart("axpy");
#pragma omp for schedule(static) nowait
        for (size_t c = 0; c < cells; c++)
            y[c] = alpha * x[c] + beta * y[c];
        GPTLstop("axpy");
    }
}

/* ---- Time steps ----------------------------------------------------------------------------- */

/*
 * Solve for the next temperature, from the present one as first guess. Return the iterations. With
 * u for both the guess and the right-hand side b, the first residual is b - A u = u - A u.
 */
static int cg_solve(struct plate *s, double tolerance)
{
    double limit = tolerance * tolerance * dot(s, s->u, s->u);
    double rr, rr_before;
    int iterations = 0;

    apply_laplacian(s, s->u, s->r);
    axpy(s, 1.0, s->u, -1.0, s->r);
    axpy(s, 1.0, s->r, 0.0, s->p);
    for (rr = dot(s, s->r, s->r); rr > limit; iterations++) {
        if (iterations > 10 * s->n)
            die("the solver does not converge");
        apply_laplacian(s, s->p, s->q);
        double alpha = rr / dot(s, s->p, s->q);
        axpy(s, alpha, s->p, 1.0, s->u);
        axpy(s, -alpha, s->q, 1.0, s->r);
        rr_before = rr;
        rr = dot(s, s->r, s->r);
        axpy(s, 1.0, s->r, rr / rr_before, s->p);
    }
    return iterations;
}

/* Write a gray image of the plate, its hottest cell white; print a description of it. */
static void write_output(const struct plate *s, const char *file)
{
    size_t cells = (size_t)s->n * s->n;
    double low = s->u[0], high = s->u[0];
    FILE *f = fopen(file, "wb");

    if (f == NULL)
        die("%s: %s", file, strerror(errno));
    for (size_t c = 0; c < cells; c++) {
        low = fmin(low, s->u[c]);
        high = fmax(high, s->u[c]);
    }
    fprintf(f, "P5\n%d %d\n255\n", s->n, s->n);
    for (size_t c = 0; c < cells; c++)
        fputc((int)lround(255.0 * fmax(s->u[c], 0.0) / high), f);
    if (ferror(f) || fclose(f) != 0)
        die("%s: cannot write", file);
    printf("temperature from %.3f to %.3f, image in %s\n", low, high, file);
}

int main(int argc, char **argv)
{
    const char *file = argc > 1 ? argv[1] : "heat.in";
    int iterations = 0;

    GPTLinitialize();
    GPTLstart("total");

    GPTLstart("read_input");
    struct input in = read_input(file);
    GPTLstop("read_input");

    GPTLstart("initialize");
    struct plate s = initialize(&in);
    GPTLstop("initialize");

    double before = total_heat(&s);
    printf("%d x %d cells, %d steps of %g s, total heat %.6f\n", s.n, s.n, in.steps, in.time_step,
           before);
    for (int step = 1; step <= in.steps; step++) {
        GPTLstart("timestep");
        GPTLstart("cg_solve");
        int used = cg_solve(&s, in.tolerance);
        GPTLstop("cg_solve");
        iterations += used;
        if (step % ((in.steps + 3) / 4) == 0)
            printf("step %4d: %3d iterations, total heat %.6f\n", step, used, total_heat(&s));
        GPTLstop("timestep");
    }

    GPTLstart("write_output");
    write_output(&s, in.output);
    GPTLstop("write_output");

    double drift = fabs(total_heat(&s) - before) / before;
    int conserved = drift <= 10.0 * in.tolerance * in.steps;
    printf("%d iterations in all, heat %sconserved: it changed by %.1e of itself\n", iterations,
           conserved ? "" : "NOT ", drift);
    free_plate(&s);

    GPTLstop("total");
    if (GPTLpr(0) != 0)
        die("no report");
    GPTLfinalize();
    return conserved ? EXIT_SUCCESS : EXIT_FAILURE;
}
