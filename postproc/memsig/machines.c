/* machines.c - descriptions of machines for the tool. */
#include "config.h"

#include "postproc/memsig/machines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/ioc/memory.h"
#include "postproc/maps/host.h"
#include "postproc/memsig/memsig.h"

/* ---- Core ---------------------------------------------------------------------------------- */

enum { MOST_NUMBERS = 64, MOST_OF_CORE = MOST_NUMBERS * 24, MOST_WINDOW = 1 << 20 };

/*
 * Parameters of a core, in seconds. An operation has its latency and the time for which it blocks
 * its port.
 */
struct core {
#define NUMBER(name) double name;
#define STEP(name, port) double name[2];
#include "memsig/core.def"
#undef NUMBER
#undef STEP
};

static double of_rate(double rate)
{
    return rate > 0 ? 1 / rate : 0;
}

static void put_unit(const struct machine *machine, enum machine_arithmetic operation, double to[2])
{
    const struct machine_unit *unit =
        machine_unit_of(machine, operation, MACHINE_SCALAR, MACHINE_DOUBLE);
    double flops = operation == MACHINE_MULTIPLY_ADD ? 2 : 1;
    to[0] = unit ? unit->latency_seconds : 0;
    to[1] = unit ? flops * of_rate(unit->flops_per_second) : 0;
}

/* Return the time of an access that hits in the first cache, in a loop without dependences. */
static double access_seconds(const struct machine *machine, enum machine_operation operation,
                             enum machine_width width)
{
    struct machine_kind kind = {.operation = operation,
                                .width = width,
                                .access_bytes = width == MACHINE_SCALAR ? 8 : 32,
                                .cores = 1};
    return of_rate(machine_level_rate(machine, &kind, 0));
}

/* Return the additional wait of a load served by LEVEL, compared with the first cache. */
static double wait_seconds(const struct machine *machine, size_t level)
{
    struct machine_kind kind = {
        .operation = MACHINE_LOAD, .access = MACHINE_DEPENDENT, .access_bytes = 8, .cores = 1};
    return of_rate(machine_level_rate(machine, &kind, level)) -
           of_rate(machine_level_rate(machine, &kind, 0));
}

/*
 * Return the parameters of the core. Without fused operations, multiply-adds cost as
 * multiplications. Integer divisions are not pipelined: their throughput equals their latency.
 * Vector operations share the throughput of additions.
 */
static struct core core_of(const struct machine *machine)
{
    const struct machine_core *of = &machine->core;
    double window = machine->window_instructions, integers = machine->window_integers,
           vectors = machine->window_vectors, waiting = machine->waiting_vectors;
    struct core core = {
        .cycle = of->cycle_seconds,
        .issue = of_rate(machine->instructions_per_second),
        .refill = of->refill_seconds,
        .jump = of->jump_seconds > 0 ? of->jump_seconds : of_rate(machine->instructions_per_second),
        .call = of->call_seconds > 0 ? of->call_seconds : of_rate(machine->instructions_per_second),
        .forward = of->forward_seconds,
        .window = window > 0 ? window : MOST_WINDOW,
        .window_integers = integers > 0 ? integers : MOST_WINDOW,
        .window_vectors = vectors > 0 ? vectors : MOST_WINDOW,
        .waiting_vectors = waiting > 0 ? waiting : MOST_WINDOW,
        .INTEGER = {of->cycle_seconds, of->addition_seconds},
        .MULTIPLY_INTEGER = {of->multiply_integer_seconds, of->addition_seconds},
        .DIVIDE_INTEGER = {of->divide_integer_seconds, of->divide_integer_seconds},
        .LOAD = {of->load_seconds, access_seconds(machine, MACHINE_LOAD, MACHINE_SCALAR)},
        .LOAD_FLOAT = {of->load_float_seconds,
                       access_seconds(machine, MACHINE_LOAD, MACHINE_VECTOR)},
        .STORE = {of->cycle_seconds, access_seconds(machine, MACHINE_STORE, MACHINE_SCALAR)}};
    put_unit(machine, MACHINE_ADD, core.ADD);
    put_unit(machine, MACHINE_MULTIPLY, core.MULTIPLY);
    put_unit(machine, MACHINE_MULTIPLY_ADD, core.MULTIPLY_ADD);
    put_unit(machine, MACHINE_DIVIDE, core.DIVIDE);
    if (core.MULTIPLY_ADD[0] <= 0)
        memcpy(core.MULTIPLY_ADD, core.MULTIPLY, sizeof core.MULTIPLY_ADD);
    core.CONVERT[0] = of->convert_seconds;
    core.VECTOR[0] = of->vector_seconds;
    core.CONVERT[1] = core.VECTOR[1] = core.ADD[1];
    memcpy(core.STORE_FLOAT, core.STORE, sizeof core.STORE_FLOAT);
    return core;
}

/*
 * Write ";CORE" into TEXT and return its length; 0 if the profile lacks a parameter or contains an
 * implausible one.
 */
static size_t put_core(const struct machine *machine, char *text, size_t size)
{
    const double picoseconds = 1e12, least = 1, most = 1e12;
    struct core core = core_of(machine);
    double numbers[MOST_NUMBERS];
    size_t n = 0, length = 0;
#define WINDOW(name) numbers[n++] = core.name;
#define NUMBER(name) numbers[n++] = picoseconds * core.name;
#define STEP(name, port)                                                                           \
    numbers[n++] = picoseconds * core.name[0];                                                     \
    numbers[n++] = picoseconds * core.name[1];
#include "memsig/core.def"
#undef NUMBER
#undef STEP
    for (size_t level = 1; level <= machine->ncaches; level++)
        numbers[n++] = fmax(picoseconds * wait_seconds(machine, level), least);
    for (size_t i = 0; i < n; i++)
        if (!(numbers[i] >= least && numbers[i] <= most))
            return 0;
    for (size_t i = 0; i < n && length < size; i++)
        length +=
            (size_t)snprintf(text + length, size - length, "%s%.0f", i > 0 ? "/" : ";", numbers[i]);
    return length;
}

/* ---- Machines ------------------------------------------------------------------------------- */

/*
 * Return the tool's description of a machine: LEVEL/BYTES/LINE/WAYS/SHARED for each cache, the
 * core, and the name. A cache of unknown associativity gets 16 ways; beyond that number the ways
 * hardly affect the result. The caller frees it.
 */
static char *text_of(const struct machine *machine)
{
    size_t size = 256 * (machine->ncaches + 1) + MOST_OF_CORE + strlen(machine->name), n;
    char *text = memory_zeros(size, 1);
    n = (size_t)snprintf(text, size, "--machine=");
    for (size_t i = 0; i < machine->ncaches; i++) {
        const struct machine_cache *cache = &machine->caches[i];
        unsigned line = cache->line_bytes ? cache->line_bytes : 64;
        unsigned long long ways = cache->associativity ? cache->associativity : 16;
        if (ways > cache->bytes / line)
            ways = cache->bytes / line;
        n += (size_t)snprintf(text + n, size - n, "%s%u/%llu/%u/%llu/%d", i > 0 ? "," : "",
                              cache->level, (unsigned long long)cache->bytes, line, ways,
                              cache->shared_by_cores > 1);
    }
    n += put_core(machine, text + n, size - n);
    snprintf(text + n, size - n, ":%s", machine->name);
    return text;
}

/* Reject machines that cannot be simulated here, because the tool itself cannot print a reason. */
static bool can_be_simulated(const struct machine *machine, const char *path)
{
    if (machine->ncaches < 1 || machine->ncaches > 6) {
        fprintf(stderr, WHO ": %s has %zu caches, 1 to 6 can be simulated\n", path,
                machine->ncaches);
        return false;
    }
    for (size_t i = 0; i < machine->ncaches; i++) {
        const struct machine_cache *cache = &machine->caches[i];
        unsigned line = cache->line_bytes ? cache->line_bytes : 64;
        if (line < 8 || line > 65536 || (line & (line - 1)) != 0 || cache->bytes < line ||
            cache->bytes > (uint64_t)1 << 40 ||
            (cache->associativity > 0 && cache->bytes / line < cache->associativity)) {
            fprintf(stderr,
                    WHO ": %s: a cache of %llu bytes in lines of %u, %u to a set, cannot be "
                        "simulated; lines have 8 to 65536 bytes, a power of two\n",
                    path, (unsigned long long)cache->bytes, cache->line_bytes,
                    cache->associativity);
            return false;
        }
    }
    return true;
}

/* Return the caches of this machine, or usual ones if a virtual machine hides them. */
char *memsig_this_machine(void)
{
    static const struct machine_cache usual[] = {
        {1, 32 << 10, 64, 8, 1, MACHINE_KERNEL},
        {2, 1 << 20, 64, 16, 1, MACHINE_KERNEL},
        {3, 32 << 20, 64, 16, 2, MACHINE_KERNEL},
    };
    struct host host;
    struct machine machine = {.name = NULL};
    char *text;
    host_look(&host, &machine);
    if (machine.ncaches > 0 && can_be_simulated(&machine, "this machine")) {
        text = text_of(&machine);
    } else {
        char name[] = "usual";
        struct machine assumed = machine;
        assumed.caches = memory_zeros(1, sizeof usual);
        memcpy(assumed.caches, usual, sizeof usual);
        assumed.ncaches = sizeof usual / sizeof *usual;
        assumed.name = name;
        fprintf(stderr, WHO ": this machine's caches are not known; 32 KiB, 1 MiB and 32 MiB are "
                            "simulated; --machine describes others\n");
        text = text_of(&assumed);
        free(assumed.caches);
    }
    host_free(&host);
    machine_free(&machine);
    return text;
}

char *memsig_described_machine(const char *path)
{
    struct machine machine = {.name = NULL};
    char *text = NULL;
    if (machine_read(&machine, WHO, path) == 0 && can_be_simulated(&machine, path))
        text = text_of(&machine);
    machine_free(&machine);
    return text;
}
