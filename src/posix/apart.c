/* apart.c - stacks and buffers of the library's own; see apart.h. */
#include "config.h"

#include "posix/apart.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "posix/raw.h"

enum { NSTACKS = 4, STACK = 64 << 10, NBUFFERS = 16 };

/* In the library's own zeroed memory: no page is used before the first call, and no limit can refuse them. */
static _Alignas(64) char stacks[NSTACKS][STACK];
static atomic_bool stack_is_used[NSTACKS];
static __thread bool is_apart __attribute__((tls_model("initial-exec")));

static _Alignas(64) char buffers[NBUFFERS][GPTL_POSIX_SCRATCH];
static atomic_bool buffer_is_used[NBUFFERS];

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GPTL_CANNOT_SWITCH /* their run-time libraries take another stack for a bug */
#endif

/* Calls WORK with ARG on the stack that ends at TOP. Debuggers and profilers can unwind through it. */
#if defined(__x86_64__) && !defined(__ILP32__) && !defined(GPTL_CANNOT_SWITCH)
void gptl_posix_switch(void (*work)(void *), void *arg, char *top);
__asm__(".pushsection .text\n"
        ".hidden gptl_posix_switch\n"
        ".globl gptl_posix_switch\n"
        ".type gptl_posix_switch, @function\n"
        "gptl_posix_switch:\n"
        ".cfi_startproc\n"
        "endbr64\n"
        "push %rbp\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbp, -16\n"
        "mov %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        "mov %rdx, %rsp\n"
        "mov %rdi, %rax\n"
        "mov %rsi, %rdi\n"
        "call *%rax\n"
        "mov %rbp, %rsp\n"
        "pop %rbp\n"
        ".cfi_def_cfa %rsp, 8\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size gptl_posix_switch, .-gptl_posix_switch\n"
        ".popsection\n");
#elif defined(__aarch64__) && !defined(GPTL_CANNOT_SWITCH)
void gptl_posix_switch(void (*work)(void *), void *arg, char *top);
__asm__(".pushsection .text\n"
        ".hidden gptl_posix_switch\n"
        ".globl gptl_posix_switch\n"
        ".type gptl_posix_switch, %function\n"
        "gptl_posix_switch:\n"
        ".cfi_startproc\n"
        "stp x29, x30, [sp, #-16]!\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset 29, -16\n"
        ".cfi_offset 30, -8\n"
        "mov x29, sp\n"
        ".cfi_def_cfa_register 29\n"
        "mov sp, x2\n"
        "mov x9, x0\n"
        "mov x0, x1\n"
        "blr x9\n"
        "mov sp, x29\n"
        ".cfi_def_cfa_register 31\n"
        "ldp x29, x30, [sp], #16\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size gptl_posix_switch, .-gptl_posix_switch\n"
        ".popsection\n");
#else
static void gptl_posix_switch(void (*work)(void *), void *arg, char *top)
{
    (void)top;
    work(arg);
}
#endif

/* The first of N that is free, which is then used; -1: none. */
static int take(atomic_bool *is_used, int n)
{
    for (int i = 0; i < n; i++)
        if (!atomic_load_explicit(&is_used[i], memory_order_relaxed) &&
            !atomic_exchange_explicit(&is_used[i], true, memory_order_acquire))
            return i;
    return -1;
}

bool gptl_posix_is_sealed;

void gptl_posix_apart(void (*work)(void *arg), void *arg)
{
    gptl_raw_signals before;
    if (gptl_posix_is_sealed)
        return;
    if (is_apart) {
        work(arg);
        return;
    }
    gptl_raw_block(&before);
    int i = take(stack_is_used, NSTACKS);
    if (i < 0) { /* better there than not at all */
        work(arg);
    } else {
        is_apart = true;
        gptl_posix_switch(work, arg, stacks[i] + STACK);
        is_apart = false;
        atomic_store_explicit(&stack_is_used[i], false, memory_order_release);
    }
    gptl_raw_unblock(&before);
}

char *gptl_posix_scratch_take(void)
{
    int i = take(buffer_is_used, NBUFFERS);
    return i < 0 ? NULL : buffers[i];
}

void gptl_posix_scratch_give(char *buffer)
{
    if (buffer)
        atomic_store_explicit(&buffer_is_used[(buffer - buffers[0]) / GPTL_POSIX_SCRATCH], false,
                              memory_order_release);
}

void gptl_posix_apart_child(void)
{
    for (int i = 0; i < NBUFFERS; i++)
        atomic_store(&buffer_is_used[i], false);
    for (int i = 0; i < NSTACKS && !is_apart; i++)
        atomic_store(&stack_is_used[i], false);
}
