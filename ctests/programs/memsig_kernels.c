/*
 * memsig_kernels.c - loops with known counts, selected by name in the first argument (the second
 * one makes gather longer): cache misses, arithmetic, strides, memory.
 */
#include <immintrin.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#define APART __attribute__((noinline, noclone))
#define WITH(features) __attribute__((noinline, noclone, target(features)))

static uint32_t seed = 1;
static int times = 1;

static uint32_t chance(void)
{
    return (seed = seed * 1664525u + 1013904223u) >> 8;
}

static void *room(size_t bytes)
{
    void *made = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (!made)
        abort();
    memset(made, 0, bytes);
    return made;
}

/* ---- What caches make of them --------------------------------------------------------------- */

enum { N = 1 << 17 };

static int rows(void)
{
    enum { ROWS = 20000, EACH = 16 };
    double *value = room(ROWS * EACH * sizeof *value), *x = room(ROWS * sizeof *x), sum = 0;
    int *column = room(ROWS * EACH * sizeof *column);
    for (int i = 0; i < ROWS * EACH; i++) {
        column[i] = (int)(chance() % ROWS);
        value[i] = i;
    }
    for (int repeat = 0; repeat < 4; repeat++)
        for (int i = 0; i < ROWS; i++)
            for (int j = i * EACH; j < (i + 1) * EACH; j++)
                sum += value[j] * x[column[j]];
    return sum < 0;
}

static int stencil(void)
{
    enum { SIDE = 48 };
    double(*from)[SIDE][SIDE] = room(sizeof(double[SIDE][SIDE][SIDE]));
    double(*to)[SIDE][SIDE] = room(sizeof(double[SIDE][SIDE][SIDE]));
    for (int repeat = 0; repeat < 6; repeat++)
        for (int i = 1; i < SIDE - 1; i++)
            for (int j = 1; j < SIDE - 1; j++)
                for (int k = 1; k < SIDE - 1; k++)
                    to[i][j][k] = from[i - 1][j][k] + from[i + 1][j][k] + from[i][j - 1][k] +
                                  from[i][j + 1][k] + from[i][j][k - 1] + from[i][j][k + 1];
    return to[1][1][1] > 0;
}

static int gather(void)
{
    uint64_t *from = room(N * sizeof *from), sum = 0;
    for (int i = 0; i < 8 * N * times; i++)
        sum += from[chance() % N];
    return sum > 0;
}

static int list(void)
{
    uint32_t *next = room(N * sizeof *next), at = 0;
    for (uint32_t i = 0; i < N; i++)
        next[i] = i;
    for (uint32_t i = N - 1; i > 0; i--) {
        uint32_t other = chance() % i, before = next[i];
        next[i] = next[other];
        next[other] = before;
    }
    for (int i = 0; i < 8 * N; i++)
        at = next[at];
    return at > N;
}

static int smaller(const void *a, const void *b)
{
    return *(const uint32_t *)a < *(const uint32_t *)b
               ? -1
               : *(const uint32_t *)a > *(const uint32_t *)b;
}

static int sorting(void)
{
    uint32_t *numbers = room(N * sizeof *numbers);
    for (int i = 0; i < N; i++)
        numbers[i] = chance();
    qsort(numbers, N, sizeof *numbers, smaller);
    return numbers[0] > numbers[1];
}

/* ---- Arithmetic ----------------------------------------------------------------------------- */

enum { TIMES = 1000 };

static APART double scalar(double x)
{
    for (int i = 0; i < TIMES; i++)
        x = (x + 1.5) * 0.25 - 0.125; /* 3 */
    return x;
}

static APART float single(float x)
{
    for (int i = 0; i < TIMES; i++)
        x = x * 0.5f + 1.0f; /* 2 */
    return x;
}

static APART double divides(double x)
{
    for (int i = 0; i < TIMES; i++)
        x = __builtin_sqrt(7.0 / (x + 1.0)); /* 3, of which 2 divide */
    return x;
}

static APART __m128d pairs(__m128d x)
{
    for (int i = 0; i < TIMES; i++)
        x = _mm_add_pd(_mm_mul_pd(x, _mm_set1_pd(0.5)), _mm_set1_pd(1)); /* 4 */
    return x;
}

static WITH("avx") __m256 eights(__m256 x)
{
    for (int i = 0; i < TIMES; i++)
        x = _mm256_sub_ps(_mm256_div_ps(x, _mm256_set1_ps(3)), _mm256_set1_ps(1)); /* 16, 8 */
    return x;
}

/* The invariant number is the first operand. */
static WITH("avx") double polynomial(double at)
{
    double x = 0;
    for (int i = 0; i < TIMES; i++)
        x = at * x + 0.5; /* 2 */
    return x;
}

static WITH("fma") double fused(double x)
{
    for (int i = 0; i < TIMES; i++)
        x = __builtin_fma(x, 0.5, 1.0); /* 2 */
    return x;
}

static WITH("fma") __m256d fused_fours(__m256d x)
{
    for (int i = 0; i < TIMES; i++)
        x = _mm256_fmadd_pd(x, _mm256_set1_pd(0.5), _mm256_set1_pd(1)); /* 8 */
    return x;
}

static APART void told(const char *name, int scalars, int vectors, int in_fused, int divisions)
{
    printf("%s %d %d %d %d\n", name, scalars, vectors, in_fused, divisions);
}

/* One vector in memory, so that no function has a vector argument that some processors lack. */
static WITH("avx,fma") int with_avx(void)
{
    float singles[8] = {1};
    double doubles[4] = {1};
    _mm256_storeu_ps(singles, eights(_mm256_loadu_ps(singles)));
    told("eights", 0, 16 * TIMES, 0, 8 * TIMES);
    doubles[1] = polynomial(doubles[0] / 2);
    told("polynomial", 2 * TIMES, 0, 0, 0);
    doubles[0] = fused(doubles[0]);
    told("fused", 2 * TIMES, 0, 2 * TIMES, 0);
    _mm256_storeu_pd(doubles, fused_fours(_mm256_loadu_pd(doubles)));
    told("fused_fours", 0, 8 * TIMES, 8 * TIMES, 0);
    return singles[0] > 1e30f || doubles[0] > 1e30;
}

static int arithmetic(void)
{
    double sum = scalar(1) + (double)single(1) + divides(1);
    told("scalar", 3 * TIMES, 0, 0, 0);
    told("single", 2 * TIMES, 0, 0, 0);
    told("divides", 3 * TIMES, 0, 0, 2 * TIMES);
    sum += _mm_cvtsd_f64(pairs(_mm_set1_pd(1)));
    told("pairs", 0, 4 * TIMES, 0, 0);
    return sum > 1e30 || (__builtin_cpu_supports("fma") && with_avx());
}

/* ---- Strides and memory --------------------------------------------------------------------- */

static APART void every(volatile char *memory, size_t bytes, size_t stride)
{
    for (size_t i = 0; i < bytes; i += stride)
        memory[i] = 1;
}

/* All lines, although each of the two stores accesses every other one. */
static APART void in_turn(volatile char *memory, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 128) {
        memory[i] = 1;
        memory[i + 64] = 2;
    }
}

/* One load, which continues at four places. */
static APART void at_places(const volatile char *memory, const size_t *places, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 8)
        for (const size_t *place = places; place < places + 4; place++)
            (void)memory[*place + i];
}

/* All lines are in one set of a cache whose ways have the size of a page. */
static inline void in_set(volatile char *memory, size_t lines)
{
    for (int round = 0; round < 100; round++)
        for (size_t i = 0; i < lines; i++)
            memory[i * 4096] = 1;
}

static APART void too_many(volatile char *memory)
{
    in_set(memory, 12);
}

static APART void as_many_as_fit(volatile char *memory)
{
    in_set(memory, 8);
}

static APART void every_8(volatile uint64_t *memory, size_t n)
{
    for (size_t i = 0; i < n; i++)
        memory[i] = i;
}

static APART void any(volatile char *memory, const uint32_t *order, size_t n)
{
    for (size_t i = 0; i < n; i++)
        memory[(size_t)order[i] * 64] = 1;
}

static int strides(void)
{
    size_t n = 1 << 16;
    char *memory = room(n * 64);
    uint32_t *order = room(n * sizeof *order);
    for (size_t i = 0; i < n; i++)
        order[i] = chance() % n;
    every_8((volatile uint64_t *)memory, 8192);
    every(memory, n * 64, 192);
    in_turn(memory, n * 64);
    as_many_as_fit(memory);
    too_many(memory);
    any(memory, order, n);
    at_places(memory, (const size_t[]){0, 5000, 7000, 20000}, 4096);
    return 0;
}

/* ---- Lines of a set, and the ends of lines ------------------------------------------------------ */

/* If ways have the size of a page, all lines of a row are in one set, and other rows in others. */
static inline void rows_of(const volatile char *memory, size_t lines)
{
    for (int round = 0; round < 2; round++)
        for (size_t row = 0; row < 4096; row += 64)
            for (size_t i = 0; i < lines; i++)
                (void)memory[i * 4096 + row];
}

static APART void rows_of_12(const volatile char *memory)
{
    rows_of(memory, 12);
}

static APART void rows_of_8(const volatile char *memory)
{
    rows_of(memory, 8);
}

/* Either every access crosses a line boundary, or none does. */
static inline void from_places(char *at)
{
    long n = TIMES;
    __asm__ volatile(
        "1:\n mov (%1), %%rax\n mov %%rax, (%1)\n mov %%eax, (%1)\n add $64, %1\n dec %0\n jnz 1b\n"
        : "+r"(n), "+r"(at)
        :
        : "rax", "memory", "cc");
}

static APART void over_ends(char *memory)
{
    from_places(memory + 62);
}

static APART void within_lines(char *memory)
{
    from_places(memory + 56);
}

static int lines(void)
{
    char *memory = room(64 * (TIMES + 1)), *columns = room(20 * 4096);
    rows_of_8(columns);
    rows_of_12(columns + 8 * 4096);
    over_ends(memory);
    within_lines(memory);
    return 0;
}

/* ---- String instructions -------------------------------------------------------------------- */

static APART void fill(char *to, size_t n)
{
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(1) : "memory");
}

static APART void fill_backwards(char *to, size_t n)
{
    __asm__ volatile("std; rep stosb; cld" : "+D"(to), "+c"(n) : "a"(2) : "memory");
}

static APART void copy_words(char *to, const char *from, size_t n)
{
    __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

static APART size_t compare(const char *a, const char *b, size_t n)
{
    __asm__ volatile("repe cmpsb" : "+D"(a), "+S"(b), "+c"(n) : : "memory", "cc");
    return n;
}

static int strings(void)
{
    char *a = room(8192), *b = room(8192);
    fill(a, 4096);
    for (int i = 0; i < 10; i++)
        fill(a + 8, 16); /* all of them in one piece, newly allocated each time */
    fill(a, 0);
    fill_backwards(a + 4095, 4096);
    copy_words(b + 16, a, 512); /* one more piece, at its end */
    b[1000] = 1;
    return compare(a, b, 8192) != 8192 - 1;
}

/* As in short programs: much memory is cleared, and then little code runs. */
static APART void little(volatile long *memory)
{
    for (int i = 0; i < 1000; i++)
        *memory += i;
}

static int cleared(void)
{
    static volatile long memory;
    fill(room(1200000), 1200000);
    little(&memory);
    return 0;
}

/* ---- Integers ------------------------------------------------------------------------------- */

/* Comments mark the instructions that write a general register; all others do not. */
#define LOOP(instructions)                                                                         \
    long n = TIMES;                                                                                \
    __asm__ volatile("1:\n" instructions "dec %0\njnz 1b\n" /* 1, except for the jump */           \
                     : "+r"(n)                                                                     \
                     : "r"(memory)                                                                 \
                     : "rax", "rcx", "rdx", "r9", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",  \
                       "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",         \
                       "xmm14", "xmm15", "memory", "cc")

static APART void whole(volatile long *memory)
{
    LOOP(
        "add $1, %%rax\n sub %%rax, %%r9\n xor %%ecx, %%ecx\n or (%1), %%ax\n"      /* 4 */
        "cmp %%rax, %%rcx\n cmp $1, %%al\n test %%rax, %%rax\n test $1, %%r9b\n"    /* none */
        "addq $1, (%1)\n add %%rax, (%1)\n negq (%1)\n incq (%1)\n shll $1, (%1)\n" /* none: memory */
        "mov (%1), %%r9d\n mov %%r9, %%rcx\n mov $7, %%eax\n lea 8(%1), %%rdx\n"    /* 4 */
        "mov %%eax, (%1)\n movl $7, (%1)\n movb %%al, 8(%1)\n nop\n nopw (%1)\n"    /* none */
        "imul $3, %%rcx, %%rax\n imul %%rcx\n neg %%rax\n shr $3, %%r9\n sar %%rcx\n"); /* 5 */
}

static APART void others(volatile long *memory)
{
    LOOP("xchg %%rcx, %%rax\n xchg %%r9, (%1)\n bswap %%ecx\n cltq\n"             /* 4 */
         "movzbl %%al, %%ecx\n movswq %%ax, %%rcx\n movslq %%ecx, %%rax\n"        /* 3 */
         "sete %%al\n sete 8(%1)\n cmovne %%rcx, %%rax\n bsf %%rcx, %%rax\n"      /* 3 of 4 */
         "bt $3, %%rcx\n bts $3, %%rcx\n btrl $3, (%1)\n shld $3, %%rax, %%rcx\n" /* 2 of 4 */
         "lock xadd %%rcx, (%1)\n prefetcht0 (%1)\n mfence\n"                     /* 1 of 3 */
         "sub $128, %%rsp\n push %%rax\n pop %%rcx\n call 2f\n jmp 3f\n 2: ret\n 3: add $128, "
         "%%rsp\n"); /* 3 */
}

static APART void vectors(volatile long *memory)
{
    LOOP(
        "movq %%xmm0, %%rax\n movd %%xmm0, %%ecx\n movq %%rax, %%xmm0\n movq %%xmm0, (%1)\n" /* 2 of 4 */
        "movq (%1), %%xmm0\n movq %%xmm1, %%xmm0\n addsd %%xmm0, %%xmm1\n"             /* none */
        "cvttsd2si %%xmm0, %%rax\n cvtss2si (%1), %%ecx\n cvtsi2sd %%rax, %%xmm0\n"    /* 2 of 3 */
        "movmskpd %%xmm0, %%eax\n pmovmskb %%xmm0, %%eax\n pextrw $1, %%xmm0, %%ecx\n" /* 3 */
        "pinsrw $1, %%ecx, %%xmm0\n ucomisd %%xmm0, %%xmm1\n cvtps2pd %%xmm0, %%xmm1\n"); /* none */
}

static WITH("avx2,bmi,bmi2") void of_three(volatile long *memory)
{
    LOOP(
        "vmovq %%xmm0, %%rax\n vmovd %%xmm0, %%ecx\n vmovq %%rax, %%xmm0\n vmovd %%xmm0, (%1)\n" /* 2 of 4 */
        "vmovq (%1), %%xmm0\n vaddsd %%xmm0, %%xmm1, %%xmm1\n vpaddd %%ymm0, %%ymm1, %%ymm1\n" /* none */
        "vcvttsd2si %%xmm0, %%rax\n vmovmskps %%ymm0, %%eax\n vpmovmskb %%ymm0, %%r9d\n" /* 3 */
        "vpextrd $1, %%xmm0, %%eax\n vpextrd $1, %%xmm0, (%1)\n vpbroadcastd %%xmm0, %%ymm1\n" /* 1 of 3 */
        "andn %%rax, %%rcx, %%rdx\n blsr %%rax, %%rcx\n shlx %%rax, %%rcx, %%r9\n" /* 3 */
        "rorx $3, %%rax, %%rcx\n vzeroupper\n");                                   /* 1 of 2 */
}

static int integers(void)
{
    static volatile long memory[4];
    whole(memory);
    others(memory);
    vectors(memory);
    printf("whole 14\nothers 17\nvectors 8\n");
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("bmi2")) {
        of_three(memory);
        printf("of_three 11\n");
    }
    return 0;
}

/* ---- Branches ------------------------------------------------------------------------------- */

/* A branch remains one, and is not converted to a conditional move. */
#define EITHER(condition, sum)                                                                     \
    if (condition)                                                                                 \
        __asm__ volatile("inc %0" : "+r"(sum));                                                    \
    else                                                                                           \
        __asm__ volatile("dec %0" : "+r"(sum))

static APART long coins(const unsigned char *numbers, long n, long sum)
{
    for (long i = 0; i < n; i++)
        EITHER(numbers[i] & 1, sum);
    return sum;
}

static APART long dice(const unsigned char *numbers, long n, long sum)
{
    for (long i = 0; i < n; i++)
        EITHER(numbers[i] < 32, sum);
    return sum;
}

static APART long turns(const unsigned char *numbers, long n, long sum)
{
    for (long i = 0; i < n; i++)
        EITHER(i % 7 == 3 || numbers[i] > 255, sum);
    return sum;
}

static APART long rounds(const unsigned char *numbers, long n, long sum)
{
    for (long i = 0; i < n / 12; i++)
        for (long j = 0; j < 12; j++)
            __asm__ volatile("add %1, %0" : "+r"(sum) : "r"((long)numbers[j]));
    return sum;
}

/*
 * Mispredictions per thousand branches, of which half belong to the loop, except in the last
 * function.
 */
static int branches(void)
{
    long n = (long)N * times, sum = 0;
    unsigned char *numbers = room((size_t)n);
    for (long i = 0; i < n; i++)
        numbers[i] = (unsigned char)(chance() >> 16);
    sum = coins(numbers, n, sum) + dice(numbers, n, sum) + turns(numbers, n, sum) +
          rounds(numbers, n, sum);
    printf("coins %ld 250\ndice %ld 62\nturns %ld 0\nrounds %ld 0\n", 2 * n, 2 * n, 2 * n,
           n / 12 * 13);
    return sum == 1;
}

/* The loaded data decides the next step, but not by a branch. */
static APART uint32_t halved(const uint32_t *numbers, uint32_t wanted)
{
    uint32_t from = 0;
    for (uint32_t left = N / 2; left > 0; left /= 2) {
        uint32_t to = from + left;
        __asm__("cmp %2, (%3, %q1, 4)\n cmovbe %1, %0"
                : "+r"(from)
                : "r"(to), "r"(wanted), "r"(numbers)
                : "cc", "memory");
    }
    return from;
}

static int halves(void)
{
    uint32_t *numbers = room(N * sizeof *numbers), sum = 0;
    for (uint32_t i = 0; i < N; i++)
        numbers[i] = i;
    for (int i = 0; i < 4096; i++)
        sum += halved(numbers, chance() % N);
    return sum == 1;
}

/* ---- What a core waits for ------------------------------------------------------------------ */

/*
 * The nanoseconds of an iteration follow from the parameters in ctests/predict_files.py, and stand
 * next to each.
 */
static APART void sums(volatile long *memory)
{
    LOOP(
        "add %1, %%rax\n mov %%rax, %%rcx\n add %1, %%rcx\n mov %%rcx, %%rax\n" /* 2: moves are free */
        "lea 8(%%rax), %%rax\n xor %1, %%rax\n shl $1, %%rax\n neg %%rax\n"); /* 4 */
}

static APART void products(volatile long *memory)
{
    LOOP("imul %1, %%rax\n imul $3, %%rax, %%rax\n"); /* 6 */
}

static APART void many(volatile long *memory)
{
    LOOP(
        "add %1, %%rax\n add %1, %%rcx\n add %1, %%rdx\n add %1, %%r9\n"
        "add %1, %%rax\n add %1, %%rcx\n add %1, %%rdx\n add %1, %%r9\n"); /* 10 that start every half */
}

static APART void chased(volatile long *memory)
{
    memory[0] = (long)memory;
    memory[1] = 0;
    LOOP("mov (%1), %%rax\n mov %1, %%rcx\n"
         "mov (%%rax), %%rax\n mov (%%rax), %%rax\n mov %%rax, %%rdx\n mov %%rdx, %1\n"); /* 12 */
}

static APART void loaded(volatile long *memory)
{
    LOOP("mov (%1), %%rax\n mov 8(%1), %%rcx\n mov 16(%1), %%rdx\n mov 24(%1), %%r9\n"); /* 4 */
}

static APART void kept(volatile long *memory)
{
    LOOP("addq $1, (%1)\n"); /* 6: forwarded, and added */
}

static APART void floats(volatile long *memory)
{
    LOOP("addsd %%xmm0, %%xmm1\n mulsd %%xmm0, %%xmm1\n divsd %%xmm0, %%xmm1\n"); /* 21 */
}

static APART void doubles(volatile long *memory)
{
    LOOP("addpd %%xmm1, %%xmm0\n movapd %%xmm0, %%xmm1\n addpd %%xmm0, %%xmm1\n"); /* 8 */
}

static APART void converted(volatile long *memory)
{
    LOOP("cvtsi2sd %%rax, %%xmm0\n cvttsd2si %%xmm0, %%rax\n"); /* 10 */
}

static APART void shuffled(volatile long *memory)
{
    LOOP("pxor %%xmm1, %%xmm0\n pshufd $1, %%xmm0, %%xmm0\n paddq %%xmm1, %%xmm0\n pand %%xmm1, "
         "%%xmm0\n"); /* 4 */
}

static APART void chosen(volatile long *memory)
{
    LOOP("cmp %%rax, %1\n cmove %%rcx, %%rax\n add %1, %%rax\n"); /* 3: compared, moved, added */
}

/* Some branches have near targets and do not count. */
static APART void jumps(volatile long *memory)
{
    LOOP(".rept 8\n jmp 2f\n nop\n 2: jmp 3f\n 3:\n .endr\n"); /* 18 */
}

/* Below the memory that a compiler may use beyond the stack pointer. */
static APART void calls(volatile long *memory)
{
    LOOP("lea -128(%%rsp), %%rsp\n"
         ".rept 4\n call 2f\n jmp 3f\n 2: ret\n 3:\n .endr\n"
         "lea 128(%%rsp), %%rsp\n"); /* 34 */
}

#define OTHERS(do)                                                                                 \
    do                                                                                             \
    (2) do(3) do(4) do(5) do(6) do(7) do(8) do(9) do(10) do(11) do(12) do(13) do(14) do(15)
#define WAIT(n) "paddq %%xmm0, %%xmm" #n "\n"
#define TAKE(n) "movsd (%1), %%xmm" #n "\n"

/*
 * Two divisions, which do not depend on previous iterations, and 14 instructions that depend on
 * them, or overwrite their registers.
 */
static APART void waiting(volatile long *memory)
{
    LOOP(
        "movsd (%1), %%xmm0\n divsd %%xmm0, %%xmm0\n divsd %%xmm0, %%xmm0\n" OTHERS(WAIT)); /* 23 */
}

static APART void registers(volatile long *memory)
{
    LOOP(
        "movsd (%1), %%xmm0\n divsd %%xmm0, %%xmm0\n divsd %%xmm0, %%xmm0\n" OTHERS(TAKE)); /* 23 */
}

static int cores(void)
{
    static volatile long memory[4];
    sums(memory);
    products(memory);
    many(memory);
    chased(memory);
    loaded(memory);
    kept(memory);
    floats(memory);
    doubles(memory);
    converted(memory);
    shuffled(memory);
    chosen(memory);
    waiting(memory);
    registers(memory);
    jumps(memory);
    calls(memory);
    printf("sums 6\nproducts 6\nmany 5\nchased 12\nloaded 4\nkept 6\nfloats 21\ndoubles 8\n"
           "converted 10\nshuffled 4\nchosen 3\nwaiting 23\nregisters 23\njumps 18\ncalls 34\n");
    return 0;
}

/* ---- Pages ---------------------------------------------------------------------------------- */

enum { PAGE = 4096, PAGES = 5000, TURNS = 4 };

static APART void touch(char *memory)
{
    for (volatile char *at = memory; at < memory + (size_t)PAGES * PAGE; at += 64)
        *at = 1;
}

static APART void mapped(void)
{
    for (int i = 0; i < TURNS; i++) {
        char *memory = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        touch(memory);
        touch(memory);
        munmap(memory, (size_t)PAGES * PAGE);
    }
}

static APART void dropped(void)
{
    char *memory = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < TURNS; i++) {
        touch(memory);
        madvise(memory, (size_t)PAGES * PAGE, MADV_DONTNEED);
    }
}

/* The C library returns the end of its heap, and allocates it again. */
static APART void allocated(void)
{
    enum { PIECES = PAGES / 20 };
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 20);
    for (int i = 0; i < TURNS; i++) {
        char *pieces[PIECES];
        for (int p = 0; p < PIECES; p++) {
            pieces[p] = malloc(20 * PAGE);
            for (volatile char *at = pieces[p]; at < pieces[p] + 20 * PAGE; at += 64)
                *at = 1;
        }
        for (int p = PIECES; p-- > 0;)
            free(pieces[p]);
    }
}

/* Print how many pages the kernel has allocated. */
static void say_pages(const char *name, void (*get)(void))
{
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    get();
    getrusage(RUSAGE_SELF, &after);
    printf("%s %ld\n", name, after.ru_minflt - before.ru_minflt);
}

static int pages(void)
{
    prctl(PR_SET_THP_DISABLE, 1L, 0L, 0L, 0L);
    say_pages("mapped", mapped);
    say_pages("dropped", dropped);
    say_pages("allocated", allocated);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } all[] = {{"rows", rows},       {"stencil", stencil},   {"gather", gather},
               {"list", list},       {"sorting", sorting},   {"arithmetic", arithmetic},
               {"strides", strides}, {"strings", strings},   {"integers", integers},
               {"lines", lines},     {"branches", branches}, {"halves", halves},
               {"cores", cores},     {"pages", pages},       {"cleared", cleared}};
    if (argc > 2)
        times = atoi(argv[2]);
    /*
     * The size of the environment moves the stack: the stack memory of kernels maps to the same
     * sets.
     */
    char *passed = __builtin_alloca((uintptr_t)__builtin_frame_address(0) & 0xffff);
    __asm__ volatile("" ::"r"(passed) : "memory");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (argc > 1 && strcmp(argv[1], all[i].name) == 0)
            return all[i].run();
    return 2;
}
