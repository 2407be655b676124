/*
 * core.c - latencies of a core: chains of dependent instructions, and unpredictable branches.
 */
#include "config.h"

#include "postproc/maps/core.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "postproc/maps/measure.h"

#if defined __x86_64__

enum { LINKS = 8, SAMPLES = 15, TIMES = 4000, ROOTS = 16, MOST_BEHIND = 1024 };

#define EIGHT(link) link link link link link link link link

/*
 * Define a function that executes N times eight links of a chain through rax or xmm0; rcx is 1, and
 * the memory at rsi contains its own address.
 */
#define CHAIN(name, link)                                                                          \
    static void name(size_t n)                                                                     \
    {                                                                                              \
        static void *own;                                                                          \
        own = &own;                                                                                \
        __asm__ volatile("mov %%rsi, %%rax\nmovq %%rax, %%xmm0\n"                                  \
                         "1:\n" EIGHT(link) "dec %0\njnz 1b\n"                                     \
                         : "+r"(n)                                                                 \
                         : "c"((size_t)1), "S"(&own)                                               \
                         : "rax", "rbx", "rdx", "rdi", "r8", "r9", "r10", "r11", "xmm0", "cc",     \
                           "memory");                                                              \
    }

CHAIN(add, "add %%rcx, %%rax\n")
/* Eight independent chains. */
CHAIN(additions, "add %%rcx, %%rax\nadd %%rcx, %%rdx\nadd %%rcx, %%r8\nadd %%rcx, %%r9\n"
                 "add %%rcx, %%r10\nadd %%rcx, %%r11\nadd %%rcx, %%rdi\nadd %%rcx, %%rbx\n")
CHAIN(multiply_integer, "imul %%rcx, %%rax\n")
CHAIN(divide_integer, "xor %%edx, %%edx\ndiv %%rcx\n")
CHAIN(vector, "unpcklpd %%xmm0, %%xmm0\n")
CHAIN(convert, "cvtsi2sd %%rax, %%xmm0\ncvttsd2si %%xmm0, %%rax\n")
CHAIN(load, "mov (%%rax), %%rax\n")
CHAIN(move, "movq %%rax, %%xmm0\nmovq %%xmm0, %%rax\n")
CHAIN(load_float, "movsd (%%rax), %%xmm0\nmovq %%xmm0, %%rax\n")
CHAIN(forward, "movsd %%xmm0, (%%rsi)\nmovsd (%%rsi), %%xmm0\n")

CHAIN(jump, "jmp 2f\n.p2align 4\n2:\n")
/* Calls a function that returns, and jumps over it; below the red zone of the compiler. */
CHAIN(call, "lea -128(%%rsp), %%rsp\ncall 2f\njmp 3f\n.p2align 4\n2: ret\n.p2align 4\n3:\n"
            "lea 128(%%rsp), %%rsp\n")

/* Return the seconds of a link, the minimum of several samples. */
static double link_seconds(void (*chain)(size_t n))
{
    double samples[SAMPLES], spread;
    chain(TIMES);
    for (int i = 0; i < SAMPLES; i++) {
        double from = measure_now();
        chain(TIMES);
        samples[i] = (measure_now() - from) / TIMES / LINKS;
    }
    return measure_least(samples, SAMPLES, &spread);
}

/*
 * Two independent chains of square roots in turn, each followed by filler instructions, of which
 * the last BACK bytes are executed. The chains overlap as long as the reorder buffer holds one
 * chain and the filler.
 */
#define WINDOW_OF_BOTH(name, behind_one, behind_other)                                             \
    static void name(size_t n, size_t back)                                                        \
    {                                                                                              \
        static const double one = 1;                                                               \
        static long stored;                                                                        \
        __asm__ volatile("movsd (%2), %%xmm0\nmovsd (%2), %%xmm1\n"                                \
                         "lea 2f(%%rip), %%rax\nsub %1, %%rax\n"                                   \
                         "lea 3f(%%rip), %%rdx\nsub %1, %%rdx\n"                                   \
                         "1:\n.rept 16\nsqrtsd %%xmm0, %%xmm0\n.endr\njmp *%%rax\n"                \
                         ".rept 1024\n" behind_one "\n.endr\n2:\n"                                 \
                         ".rept 16\nsqrtsd %%xmm1, %%xmm1\n.endr\njmp *%%rdx\n"                    \
                         ".rept 1024\n" behind_other "\n.endr\n3:\n"                               \
                         "dec %0\njnz 1b\n"                                                        \
                         : "+r"(n)                                                                 \
                         : "r"(back), "r"(&one), "S"(&stored)                                      \
                         : "rax", "rcx", "rdx", "xmm0", "xmm1", "xmm6", "xmm7", "cc", "memory");   \
    }

#define WINDOW(name, instruction) WINDOW_OF_BOTH(name, instruction, instruction)
WINDOW(moves, "movaps %%xmm7, %%xmm6")     /* uses no register; 3 bytes */
WINDOW(wholes, "lea 5(%%rsi), %%ecx")      /* each writes an integer register; 3 bytes */
WINDOW(stores, "mov %%ecx, (%%rsi)")       /* 2 bytes */
WINDOW(vectors, "cvtdq2ps %%xmm7, %%xmm6") /* each writes a vector register; 3 bytes */
/* Each waits for the preceding chain; 3 bytes. */
WINDOW_OF_BOTH(waiting, "cvtdq2ps %%xmm0, %%xmm6", "cvtdq2ps %%xmm1, %%xmm6")

static double behind_seconds(void (*chains)(size_t n, size_t back), size_t back)
{
    enum { TURNS = 200 };
    double samples[SAMPLES], spread;
    for (int i = 0; i < SAMPLES; i++) {
        double from = measure_now();
        chains(TURNS, back);
        samples[i] = (measure_now() - from) / TURNS;
    }
    return measure_least(samples, SAMPLES, &spread);
}

/*
 * Return how many instructions of BYTES fit between the chains before the time grows by half; 0:
 * unknown.
 */
static unsigned instructions_between(void (*chains)(size_t n, size_t back), unsigned bytes)
{
    const double longer = 1.5;
    double at_once = behind_seconds(chains, 0);
    unsigned less = 0, more = MOST_BEHIND;
    if (behind_seconds(chains, (size_t)bytes * more) < longer * at_once)
        return 0;
    while (more - less > 1) {
        unsigned middle = (less + more) / 2;
        *(behind_seconds(chains, (size_t)bytes * middle) < longer * at_once ? &less : &more) =
            middle;
    }
    return more;
}

/* Measure the buffer sizes; a chain's roots also occupy the reorder buffer. */
static void measure_windows(struct machine *machine)
{
    unsigned any = instructions_between(moves, 3);
    machine->window_instructions = fmax(machine->window_instructions, any > 0 ? any + ROOTS : 0);
    machine->window_integers = fmax(machine->window_integers, instructions_between(wholes, 3));
    machine->window_stores = fmax(machine->window_stores, instructions_between(stores, 2));
    machine->window_vectors = fmax(machine->window_vectors, instructions_between(vectors, 3));
    machine->waiting_vectors = fmax(machine->waiting_vectors, instructions_between(waiting, 3));
    /* A core keeps no more instructions of one kind than of all kinds together: more is noise. */
    if (machine->window_instructions > 0) {
        machine->window_integers = fmin(machine->window_integers, machine->window_instructions);
        machine->window_stores = fmin(machine->window_stores, machine->window_instructions);
        machine->window_vectors = fmin(machine->window_vectors, machine->window_instructions);
    }
}

/*
 * Number of decisions: fits the first cache, but is too long for a branch predictor to learn in one
 * pass.
 */
enum { DECISIONS = 1 << 14 };

static void decide(const unsigned char *from)
{
    size_t n = DECISIONS;
    __asm__ volatile("1:\nmovzbl (%1), %%eax\ninc %1\ntest %%eax, %%eax\njz 2f\nnop\n"
                     "2:\ndec %0\njnz 1b\n"
                     : "+r"(n), "+r"(from)
                     :
                     : "eax", "cc", "memory");
}

/*
 * Return the seconds of a decision, either constant or random and different in each sample. Random
 * ones use the median, because predictions can be lucky.
 */
static double decision_seconds(bool random)
{
    static unsigned char decisions[DECISIONS];
    static uint64_t state = 0x9e3779b97f4a7c15u;
    double samples[SAMPLES], spread;
    for (int sample = 0; sample < SAMPLES; sample++) {
        for (size_t i = 0; i < DECISIONS; i++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            decisions[i] = random && (state >> 40 & 1);
        }
        double from = measure_now();
        decide(decisions);
        samples[sample] = (measure_now() - from) / DECISIONS;
    }
    double least = measure_least(samples, SAMPLES, &spread);
    return random ? least * (1 + spread) : least;
}

static void keep_least(double *known, double seconds)
{
    if (seconds > 0)
        *known = *known > 0 ? fmin(*known, seconds) : seconds;
}

void core_measure(struct machine *machine)
{
    struct machine_core *core = &machine->core;
    keep_least(&core->cycle_seconds, link_seconds(add));
    keep_least(&core->addition_seconds, link_seconds(additions) / 8);
    keep_least(&core->multiply_integer_seconds, link_seconds(multiply_integer));
    keep_least(&core->divide_integer_seconds, link_seconds(divide_integer));
    keep_least(&core->vector_seconds, link_seconds(vector));
    keep_least(&core->convert_seconds, link_seconds(convert) / 2);
    keep_least(&core->load_seconds, link_seconds(load));
    keep_least(&core->load_float_seconds, link_seconds(load_float) - link_seconds(move) / 2);
    keep_least(&core->forward_seconds, link_seconds(forward));
    /* includes the loop's jump */
    keep_least(&core->jump_seconds, link_seconds(jump) * LINKS / (LINKS + 1));
    keep_least(&core->call_seconds, (link_seconds(call) - link_seconds(jump)) / 2);
    measure_windows(machine);
    /*
     * Half of the random decisions are mispredicted; each is resolved after a load and a
     * comparison.
     */
    keep_least(&core->refill_seconds, 2 * (decision_seconds(true) - decision_seconds(false)) -
                                          core->load_seconds - core->cycle_seconds);
}

#else

void core_measure(struct machine *machine)
{
    (void)machine;
}

#endif
