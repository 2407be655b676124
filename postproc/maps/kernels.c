/*
 * kernels.c - loops with one memory access pattern each. Accesses are inline assembly into an
 * unused register, so that compiler options do not matter.
 */
#include "config.h"

#include "postproc/maps/kernels.h"

#define INLINE static inline __attribute__((always_inline))

/* ---- One access ---------------------------------------------------------------------------- */

#if defined __x86_64__

#define LOAD(instruction, register)                                                                \
    __asm__ volatile(instruction " %0, %%" register : : "m"(*(const char(*)[64])at) : "xmm0")
#define STORE(instruction, register)                                                               \
    __asm__ volatile(instruction " %%" register ", %0" : "=m"(*(char(*)[64])at))

/* The asm lacks outputs: the register keeps the last load. */
INLINE void load(const char *at, unsigned bytes)
{
    if (bytes == 8)
        __asm__ volatile("mov %0, %%rax" : : "m"(*(const char(*)[64])at) : "rax");
    else if (bytes == 16)
        LOAD("movups", "xmm0");
    else if (bytes == 32)
        LOAD("vmovups", "ymm0");
    else
        LOAD("vmovups", "zmm0");
}

INLINE void store(char *at, unsigned bytes)
{
    if (bytes == 8)
        __asm__ volatile("mov %%rax, %0" : "=m"(*(char(*)[64])at));
    else if (bytes == 16)
        STORE("movups", "xmm0");
    else if (bytes == 32)
        STORE("vmovups", "ymm0");
    else
        STORE("vmovups", "zmm0");
}

/*
 * Random loads use floating-point registers, as most random loads of programs do. The number of
 * physical registers limits the outstanding loads: with integer registers, loads from memory took
 * 1.2 times as long.
 */
INLINE void load_number(const char *at)
{
    LOAD("movsd", "xmm0");
}

/* SSE instructions are slow while the upper parts of registers are in use. */
INLINE void leave(unsigned bytes)
{
    if (bytes > 16)
        __asm__ volatile("vzeroupper" : : : "xmm0");
}

unsigned kernel_widest(void)
{
    return __builtin_cpu_supports("avx512f") ? 64 : __builtin_cpu_supports("avx") ? 32 : 16;
}

#else

typedef uint64_t pair __attribute__((vector_size(16)));

INLINE void load(const char *at, unsigned bytes)
{
    if (bytes == 8)
        (void)*(const volatile uint64_t *)(const void *)at;
    else
        (void)*(const volatile pair *)(const void *)at;
}

INLINE void store(char *at, unsigned bytes)
{
    if (bytes == 8)
        *(volatile uint64_t *)(void *)at = 0;
    else
        *(volatile pair *)(void *)at = (pair){0, 0};
}

INLINE void load_number(const char *at)
{
    (void)*(const volatile double *)(const void *)at;
}

INLINE void leave(unsigned bytes)
{
    (void)bytes;
}

unsigned kernel_widest(void)
{
    return 16;
}

#endif

/* Access an element; stores go APART bytes from loads. */
INLINE void access_both(char *at, size_t apart, enum machine_operation operation, unsigned bytes)
{
    if (operation != MACHINE_STORE)
        load(at, bytes);
    if (operation != MACHINE_LOAD)
        store(at + apart, bytes);
}

/* ---- Patterns ------------------------------------------------------------------------------ */

/* Access eight elements, which makes the loop overhead negligible. */
INLINE void access_eight(char *at, size_t step, size_t apart, enum machine_operation operation,
                         unsigned bytes)
{
    access_both(at, apart, operation, bytes);
    access_both(at + step, apart, operation, bytes);
    access_both(at + 2 * step, apart, operation, bytes);
    access_both(at + 3 * step, apart, operation, bytes);
    access_both(at + 4 * step, apart, operation, bytes);
    access_both(at + 5 * step, apart, operation, bytes);
    access_both(at + 6 * step, apart, operation, bytes);
    access_both(at + 7 * step, apart, operation, bytes);
}

INLINE void sweep(struct walk *walk, size_t step, enum machine_operation operation, unsigned bytes)
{
    size_t apart = operation == MACHINE_COPY ? walk->apart : 0;
    for (size_t n = walk->n; n > 0; n--) {
        char *at = walk->from, *end = at + walk->bytes;
        for (; (size_t)(end - at) >= 8 * step; at += 8 * step)
            access_eight(at, step, apart, operation, bytes);
        for (; at < end; at += step)
            access_both(at, apart, operation, bytes);
    }
    leave(bytes);
}

INLINE void sequential(struct walk *walk, enum machine_operation operation, unsigned bytes)
{
    sweep(walk, bytes, operation, bytes);
}

INLINE void stride(struct walk *walk, enum machine_operation operation, unsigned bytes)
{
    sweep(walk, walk->stride, operation, bytes);
}

/* An unaligned distance: as in programs, few accesses begin at the start of a line. */
INLINE void load_beside(const char *at, unsigned bytes)
{
    enum { APART = 2056 };
    _Static_assert(KERNEL_BESIDE * APART <= KERNEL_BEHIND, "these are there");
    load(at, bytes);
    load(at - APART, bytes);
    load(at - 2 * APART, bytes);
    load(at - 3 * APART, bytes);
    load(at - 4 * APART, bytes);
    load(at - 5 * APART, bytes);
}

/*
 * Sweep with other streams, which hit in the first cache because their lines were loaded a moment
 * ago.
 */
INLINE void loads_beside(struct walk *walk, unsigned bytes)
{
    for (size_t n = walk->n; n > 0; n--)
        for (char *at = walk->from, *end = at + walk->bytes; at < end; at += bytes) {
            load_beside(at, bytes);
            load_beside(at + walk->apart, bytes);
        }
    leave(bytes);
}

static void beside_16(struct walk *walk)
{
    loads_beside(walk, 16);
}

static void beside_32(struct walk *walk)
{
    loads_beside(walk, 32);
}

INLINE uint64_t next_random(uint64_t random)
{
    return random * 6364136223846793005u + 1442695040888963407u;
}

INLINE void access_line(char *at, enum machine_operation operation, unsigned bytes)
{
    if (operation == MACHINE_LOAD && bytes == sizeof(double))
        load_number(at);
    else
        access_both(at, 0, operation, bytes);
}

void kernel_make_places(struct walk *walk, uint32_t *places)
{
    enum { WORDS = KERNEL_LINE / sizeof(double) };
    uint64_t lines = walk->bytes / KERNEL_LINE;
    walk->room = lines / KERNEL_ROOM;
    for (size_t i = 0; i < KERNEL_PLACES; i++) {
        walk->random = next_random(walk->random);
        places[i] = (uint32_t)((walk->random >> 32) * (lines - walk->room) >> 32) * WORDS;
    }
    walk->places = places;
}

/* Return the base of the next places. */
INLINE char *next_base(struct walk *walk)
{
    walk->random = next_random(walk->random);
    return walk->from + ((walk->random >> 32) * walk->room >> 32) * KERNEL_LINE;
}

/*
 * Access random lines from a table of places, as programs do. Computing addresses needs more
 * instructions and registers, which are limited while the core waits for the first access: with one
 * multiplication per access, or per four, accesses to memory took 3.0 and 1.4 times as long.
 */
INLINE void random_lines(struct walk *walk, enum machine_operation operation, unsigned bytes)
{
    char *base = next_base(walk);
    const uint32_t *end = walk->places + KERNEL_PLACES, *place = walk->places + walk->place;
    for (size_t n = walk->n; n > 0; n--) {
#pragma GCC unroll 16
        for (int i = 0; i < KERNEL_UNIT; i++)
            access_line(base + (size_t)place[i] * sizeof(double), operation, bytes);
        place += KERNEL_UNIT;
        if (place == end) {
            place = walk->places;
            base = next_base(walk);
        }
    }
    walk->place = (size_t)(place - walk->places);
    leave(bytes);
}

INLINE void *follow(void *link)
{
    return *(void *volatile *)link;
}

/*
 * Follow a link and look at its element, as list traversals do. If the element is read first, the
 * link in the second cache takes a tenth to a fifth longer, because its line is already in transit.
 */
INLINE void *look_and_follow(void *element)
{
    (void)((void *volatile *)element)[1];
    return follow(element);
}

static void dependent(struct walk *walk)
{
    void *at = walk->links[0];
    for (size_t n = KERNEL_UNIT / 8 * walk->n; n > 0; n--) {
        at = look_and_follow(look_and_follow(at));
        at = look_and_follow(look_and_follow(at));
        at = look_and_follow(look_and_follow(at));
        at = look_and_follow(look_and_follow(at));
    }
    walk->links[0] = at;
}

void kernel_chains(struct walk *walk)
{
    void *a = walk->links[0], *b = walk->links[1], *c = walk->links[2], *d = walk->links[3];
    void *e = walk->links[4], *f = walk->links[5], *g = walk->links[6], *h = walk->links[7];
    for (size_t n = KERNEL_UNIT / KERNEL_CHAINS * walk->n; n > 0; n--) {
        a = follow(a);
        b = follow(b);
        c = follow(c);
        d = follow(d);
        e = follow(e);
        f = follow(f);
        g = follow(g);
        h = follow(h);
    }
    void *const all[KERNEL_CHAINS] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < KERNEL_CHAINS; i++)
        walk->links[i] = all[i];
}

/* ---- Instances ----------------------------------------------------------------------------- */

#if defined __x86_64__
#define EACH_WIDTH(DO, operation)                                                                  \
    DO(operation, 8) DO(operation, 16) DO(operation, 32) DO(operation, 64)
#else
#define EACH_WIDTH(DO, operation) DO(operation, 8) DO(operation, 16)
#endif
#define EACH(DO)                                                                                   \
    EACH_WIDTH(DO, LOAD)                                                                           \
    EACH_WIDTH(DO, STORE)                                                                          \
    EACH_WIDTH(DO, LOAD_STORE)

#define DEFINE(operation, bytes)                                                                   \
    static void sequential_##operation##_##bytes(struct walk *walk)                                \
    {                                                                                              \
        sequential(walk, MACHINE_##operation, bytes);                                              \
    }                                                                                              \
    static void stride_##operation##_##bytes(struct walk *walk)                                    \
    {                                                                                              \
        stride(walk, MACHINE_##operation, bytes);                                                  \
    }                                                                                              \
    static void random_##operation##_##bytes(struct walk *walk)                                    \
    {                                                                                              \
        random_lines(walk, MACHINE_##operation, bytes);                                            \
    }
EACH(DEFINE)

#define DEFINE_COPY(operation, bytes)                                                              \
    static void copy_##bytes(struct walk *walk)                                                    \
    {                                                                                              \
        sequential(walk, MACHINE_##operation, bytes);                                              \
    }
EACH_WIDTH(DEFINE_COPY, COPY)

static void store_conflicts(struct walk *walk)
{
    stride(walk, MACHINE_STORE, sizeof(void *));
}

/*
 * Access all lines of a set, then of the next set: the same lines again might be cached by chance.
 */
static void load_conflicts(struct walk *walk)
{
    struct walk once = *walk;
    once.n = 1;
    for (size_t n = walk->n; n > 0; n--) {
        once.from = walk->from + n * KERNEL_LINE % KERNEL_PAGE;
        stride(&once, MACHINE_LOAD, sizeof(void *));
    }
}

/* Access elements that lie half before and half after the end of a line. */
INLINE void split(struct walk *walk, enum machine_operation operation, unsigned bytes)
{
    walk->from -= bytes / 2;
    sweep(walk, KERNEL_LINE, operation, bytes);
}

#define DEFINE_SPLIT(name, operation, bytes)                                                       \
    static void split_##name##_##bytes(struct walk *walk)                                          \
    {                                                                                              \
        split(walk, MACHINE_##operation, bytes);                                                   \
    }
DEFINE_SPLIT(load, LOAD, 16)
DEFINE_SPLIT(load, LOAD, 32)
DEFINE_SPLIT(store, STORE, 16)
DEFINE_SPLIT(store, STORE, 32)

#define COPY_ROW(operation, bytes) {MACHINE_##operation, MACHINE_SEQUENTIAL, bytes, copy_##bytes},

#define ROWS(operation, bytes)                                                                     \
    {MACHINE_##operation, MACHINE_SEQUENTIAL, bytes, sequential_##operation##_##bytes},            \
        {MACHINE_##operation, MACHINE_STRIDE, bytes, stride_##operation##_##bytes},                \
        {MACHINE_##operation, MACHINE_RANDOM, bytes, random_##operation##_##bytes},

static const struct row {
    enum machine_operation operation;
    enum machine_access access;
    unsigned bytes;
    kernel run;
} rows[] = {EACH(ROWS) EACH_WIDTH(COPY_ROW, COPY){MACHINE_LOAD, MACHINE_DEPENDENT, sizeof(void *),
                                                  dependent},
            {MACHINE_LOAD, MACHINE_CONFLICT, sizeof(void *), load_conflicts},
            {MACHINE_STORE, MACHINE_CONFLICT, sizeof(void *), store_conflicts},
            {MACHINE_LOAD, MACHINE_SPLIT, 16, split_load_16},
            {MACHINE_LOAD, MACHINE_SPLIT, 32, split_load_32},
            {MACHINE_STORE, MACHINE_SPLIT, 16, split_store_16},
            {MACHINE_STORE, MACHINE_SPLIT, 32, split_store_32},
            {MACHINE_LOAD, MACHINE_BESIDE, 16, beside_16},
            {MACHINE_LOAD, MACHINE_BESIDE, 32, beside_32}};

kernel kernel_of(const struct machine_kind *kind)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].operation == kind->operation && rows[i].access == kind->access &&
            rows[i].bytes == kind->access_bytes)
            return rows[i].run;
    return NULL;
}
