/*
 * arithmetic.c - arithmetic throughput and latency of one core: twelve independent or dependent
 * operations, as inline assembly.
 */
#include "config.h"

#include "postproc/maps/arithmetic.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "postproc/ioc/memory.h"
#include "postproc/maps/core.h"
#include "postproc/maps/deadline.h"
#include "postproc/maps/kernels.h"
#include "postproc/maps/measure.h"
#include "postproc/maps/pages.h"
#include "postproc/maps/team.h"

enum { AT_ONCE = 12 };

/* Performs N times twelve operations. */
typedef void (*computation)(size_t n);

struct row {
    enum machine_arithmetic operation;
    enum machine_width width;
    enum machine_precision precision;
    unsigned bytes; /* register bytes in use */
    bool fused;
    computation many, chain;
};

#if defined __x86_64__

/* Operands near 1 keep all results normal numbers. */
static const double doubles[8] = {1.0000001, 1.0000001, 1.0000001, 1.0000001,
                                  1.0000001, 1.0000001, 1.0000001, 1.0000001};
static const float singles[16] = {1.0001f, 1.0001f, 1.0001f, 1.0001f, 1.0001f, 1.0001f,
                                  1.0001f, 1.0001f, 1.0001f, 1.0001f, 1.0001f, 1.0001f,
                                  1.0001f, 1.0001f, 1.0001f, 1.0001f};

#define TWO(op, r, n) op " %%" r "15, %%" r n "\n"
#define THREE(op, r, n) op " %%" r "15, %%" r n ", %%" r n "\n"
#define FUSED(op, r, n) op " %%" r "15, %%" r "15, %%" r n "\n"
#define ROOT(op, r, n) op " %%" r n ", %%" r n "\n"

#define DIFFERENT(form, op, r)                                                                     \
    form(op, r, "0") form(op, r, "1") form(op, r, "2") form(op, r, "3") form(op, r, "4")           \
        form(op, r, "5") form(op, r, "6") form(op, r, "7") form(op, r, "8") form(op, r, "9")       \
            form(op, r, "10") form(op, r, "11")
#define SAME(form, op, r)                                                                          \
    form(op, r, "0") form(op, r, "0") form(op, r, "0") form(op, r, "0") form(op, r, "0")           \
        form(op, r, "0") form(op, r, "0") form(op, r, "0") form(op, r, "0") form(op, r, "0")       \
            form(op, r, "0") form(op, r, "0")
#define SET(move, r, n) move " (%1), %%" r n "\n"

#define LOOP(move, r, from, body, end)                                                             \
    __asm__ volatile(DIFFERENT(SET, move, r) SET(move, r, "15") "1:\n" body "dec %0\njnz 1b\n" end \
                     : "+r"(n)                                                                     \
                     : "r"(from)                                                                   \
                     : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",     \
                       "xmm9", "xmm10", "xmm11", "xmm15", "cc", "memory")

#define DEFINE(name, form, chain, op, move, r, from, end)                                          \
    static void name##_many(size_t n)                                                              \
    {                                                                                              \
        LOOP(move, r, from, DIFFERENT(form, op, r), end);                                          \
    }                                                                                              \
    static void name##_chain(size_t n)                                                             \
    {                                                                                              \
        LOOP(move, r, from, SAME(chain, op, r), end);                                              \
    }

/* Five operations on one kind of register, in two-operand and three-operand form. */
#define DEFINE_OLD(kind, suffix, move, from)                                                       \
    DEFINE(add_##kind, TWO, TWO, "add" suffix, move, "xmm", from, "")                              \
    DEFINE(multiply_##kind, TWO, TWO, "mul" suffix, move, "xmm", from, "")                         \
    DEFINE(divide_##kind, TWO, TWO, "div" suffix, move, "xmm", from, "")                           \
    DEFINE(sqrt_##kind, TWO, ROOT, "sqrt" suffix, move, "xmm", from, "")                           \
    DEFINE(fused_##kind, FUSED, FUSED, "vfmadd213" suffix, "v" move, "xmm", from, "vzeroupper\n")
#define DEFINE_NEW(kind, suffix, move, r, from)                                                    \
    DEFINE(add_##kind, THREE, THREE, "vadd" suffix, move, r, from, "vzeroupper\n")                 \
    DEFINE(multiply_##kind, THREE, THREE, "vmul" suffix, move, r, from, "vzeroupper\n")            \
    DEFINE(divide_##kind, THREE, THREE, "vdiv" suffix, move, r, from, "vzeroupper\n")              \
    DEFINE(sqrt_##kind, TWO, ROOT, "vsqrt" suffix, move, r, from, "vzeroupper\n")                  \
    DEFINE(fused_##kind, FUSED, FUSED, "vfmadd213" suffix, move, r, from, "vzeroupper\n")

DEFINE_OLD(double, "sd", "movsd", doubles)
DEFINE_OLD(single, "ss", "movss", singles)
DEFINE_OLD(double_16, "pd", "movupd", doubles)
DEFINE_OLD(single_16, "ps", "movups", singles)
DEFINE_NEW(double_32, "pd", "vmovupd", "ymm", doubles)
DEFINE_NEW(single_32, "ps", "vmovups", "ymm", singles)
DEFINE_NEW(double_64, "pd", "vmovupd", "zmm", doubles)
DEFINE_NEW(single_64, "ps", "vmovups", "zmm", singles)

#define ROW(operation, name, width, precision, bytes, kind)                                        \
    {MACHINE_##operation,                                                                          \
     MACHINE_##width,                                                                              \
     MACHINE_##precision,                                                                          \
     bytes,                                                                                        \
     MACHINE_##operation == MACHINE_MULTIPLY_ADD,                                                  \
     name##_##kind##_many,                                                                         \
     name##_##kind##_chain},
#define ROWS(width, precision, bytes, kind)                                                        \
    ROW(ADD, add, width, precision, bytes, kind)                                                   \
    ROW(MULTIPLY, multiply, width, precision, bytes, kind)                                         \
    ROW(MULTIPLY_ADD, fused, width, precision, bytes, kind)                                        \
    ROW(DIVIDE, divide, width, precision, bytes, kind)                                             \
    ROW(SQRT, sqrt, width, precision, bytes, kind)

static const struct row rows[] = {
    ROWS(SCALAR, DOUBLE, 8, double) ROWS(SCALAR, SINGLE, 4, single)
        ROWS(VECTOR, DOUBLE, 16, double_16) ROWS(VECTOR, SINGLE, 16, single_16)
            ROWS(VECTOR, DOUBLE, 32, double_32) ROWS(VECTOR, SINGLE, 32, single_32)
                ROWS(VECTOR, DOUBLE, 64, double_64) ROWS(VECTOR, SINGLE, 64, single_64)};

static bool is_fused(void)
{
    return __builtin_cpu_supports("fma");
}

/*
 * A typical mix between the accesses of a loop: moves, integer operations, and predictable
 * branches.
 */
static void whole_numbers(size_t n)
{
    __asm__ volatile("1:\n"
                     "add $3, %%rax\nlea 5(%%rcx), %%rcx\nmov %%rax, %%rdx\nshr $2, %%rdx\n"
                     "test %%rsi, %%rsi\njs 2f\nxor %%rcx, %%rdi\nadd $1, %%r8\n"
                     "sub $7, %%r9\nand %%rdx, %%r10\n"
                     "dec %0\njnz 1b\n2:\n"
                     : "+r"(n)
                     : "S"((size_t)1)
                     : "rax", "rcx", "rdx", "rdi", "r8", "r9", "r10", "cc");
}

static const computation instructions = whole_numbers;

#else

/* Scalar operations left to the compiler; without -ffast-math it cannot vectorize them. */
#define DEFINE(name, type, result)                                                                 \
    static void name##_many(size_t n)                                                              \
    {                                                                                              \
        volatile type given = (type)1.0001;                                                        \
        type c = given, x[AT_ONCE];                                                                \
        for (int i = 0; i < AT_ONCE; i++)                                                          \
            x[i] = given;                                                                          \
        for (; n > 0; n--)                                                                         \
            for (int i = 0; i < AT_ONCE; i++)                                                      \
                x[i] = result(x[i], c);                                                            \
        for (int i = 0; i < AT_ONCE; i++)                                                          \
            given = x[i];                                                                          \
    }                                                                                              \
    static void name##_chain(size_t n)                                                             \
    {                                                                                              \
        volatile type given = (type)1.0001;                                                        \
        type c = given, x = given;                                                                 \
        for (n *= AT_ONCE; n > 0; n--)                                                             \
            x = result(x, c);                                                                      \
        given = x;                                                                                 \
    }
#define SUM(a, b) ((a) + (b))
#define PRODUCT(a, b) ((a) * (b))
#define QUOTIENT(a, b) ((a) / (b))
DEFINE(add_double, double, SUM)
DEFINE(add_single, float, SUM)
DEFINE(multiply_double, double, PRODUCT)
DEFINE(multiply_single, float, PRODUCT)
DEFINE(divide_double, double, QUOTIENT)
DEFINE(divide_single, float, QUOTIENT)

#define ROW(operation, name, precision, bytes)                                                     \
    {                                                                                              \
        MACHINE_##operation, MACHINE_SCALAR, MACHINE_##precision, bytes, false, name##_many,       \
            name##_chain                                                                           \
    }
static const struct row rows[] = {
    ROW(ADD, add_double, DOUBLE, 8),           ROW(ADD, add_single, SINGLE, 4),
    ROW(MULTIPLY, multiply_double, DOUBLE, 8), ROW(MULTIPLY, multiply_single, SINGLE, 4),
    ROW(DIVIDE, divide_double, DOUBLE, 8),     ROW(DIVIDE, divide_single, SINGLE, 4)};

static bool is_fused(void)
{
    return false;
}

static const computation instructions = NULL;

#endif

enum { NROWS = sizeof rows / sizeof *rows, INSTRUCTIONS = 12 };

/* ---- Measuring ----------------------------------------------------------------------------- */

/* Return the seconds of twelve operations, the minimum of several samples. */
static double seconds_of(computation compute)
{
    enum { SAMPLES = 15, TIMES = 4000 };
    double samples[SAMPLES], spread;
    compute(TIMES); /* warm-up: lets the core reach its frequency for these operations */
    for (int i = 0; i < SAMPLES; i++) {
        double from = measure_now();
        compute(TIMES);
        samples[i] = (measure_now() - from) / TIMES;
    }
    return measure_least(samples, SAMPLES, &spread);
}

static bool is_there(const struct row *row)
{
    unsigned vector = kernel_widest();
    return (row->width == MACHINE_SCALAR || row->bytes == vector) && (!row->fused || is_fused());
}

/*
 * Store a unit. Of two measurements the faster one counts, because a disturbance may last longer
 * than the whole measurement.
 */
static void put_unit(struct machine *machine, const struct machine_unit *unit)
{
    struct machine_unit *known = NULL;
    for (size_t i = 0; i < machine->nunits && !known; i++)
        if (machine->units[i].operation == unit->operation &&
            machine->units[i].precision == unit->precision &&
            machine->units[i].lanes == unit->lanes)
            known = &machine->units[i];
    if (!known) {
        machine->units[machine->nunits++] = *unit;
        return;
    }
    known->flops_per_second = fmax(known->flops_per_second, unit->flops_per_second);
    known->latency_seconds = fmin(known->latency_seconds, unit->latency_seconds);
}

static void measure(void *argument, unsigned member)
{
    struct machine *machine = argument;
    (void)member;
    for (int i = 0; i < NROWS && deadline_left() > 0; i++) {
        const struct row *row = &rows[i];
        if (!is_there(row))
            continue;
        unsigned lanes = row->width == MACHINE_SCALAR ? 1 : row->bytes / (row->precision ? 4 : 8);
        unsigned flops = AT_ONCE * lanes * (row->fused ? 2 : 1);
        struct machine_unit unit = {.operation = row->operation,
                                    .width = row->width,
                                    .precision = row->precision,
                                    .lanes = lanes,
                                    .flops_per_second = flops / seconds_of(row->many),
                                    .latency_seconds = seconds_of(row->chain) / AT_ONCE};
        put_unit(machine, &unit);
    }
    if (deadline_left() == 0)
        return;
    if (instructions)
        machine->instructions_per_second =
            fmax(machine->instructions_per_second, INSTRUCTIONS / seconds_of(instructions));
    core_measure(machine);
    pages_measure(machine);
}

int arithmetic_measure(struct machine *machine, const struct host *host)
{
    struct team *team = team_start(host->processors, 1);
    if (!team)
        return -1;
    if (!machine->units)
        machine->units = memory_zeros(NROWS, sizeof *machine->units);
    team_run(team, measure, machine);
    team_end(team);
    return 0;
}
