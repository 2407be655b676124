/*
 * own_stack.c - stacks of the library, created on first use and kept.
 *
 * An unwinder sees an ordinary call: backtraces, exceptions and pthread_exit pass through it. A
 * handler that jumps away leaves its stack taken, so there are several.
 */
#include "config.h"

#include "core/own_stack.h"

#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef HAVE_VALGRIND_VALGRIND_H
#include <valgrind/valgrind.h>
#else
#define RUNNING_ON_VALGRIND 0
#endif

#include "core/cancel.h"
#include "core/kernel.h"
#include "core/object.h"

enum { NSTACKS = 16, SIZE = 512 * 1024 };

static struct {
    atomic_bool taken;
    _Atomic uintptr_t begin; /* 0: not created yet */
} stacks[NSTACKS];

bool gptl_own_stack_has(uintptr_t address)
{
    for (int i = 0; i < NSTACKS; i++) {
        uintptr_t begin = atomic_load_explicit(&stacks[i].begin, memory_order_relaxed);
        if (begin && address - begin < SIZE)
            return true;
    }
    return false;
}

static bool is_here(void)
{
    return gptl_own_stack_has((uintptr_t)__builtin_frame_address(0));
}

void gptl_own_stack_forked(void)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    for (int i = 0; i < NSTACKS; i++)
        if (here - atomic_load(&stacks[i].begin) >= SIZE)
            atomic_store(&stacks[i].taken, false);
}

/* ---- The call ------------------------------------------------------------------------------ */

/* Sanitizers do not support a switch of stacks. */
#if defined(__x86_64__) && !defined(__ILP32__) && !defined(__SANITIZE_THREAD__) &&                 \
    !defined(__SANITIZE_ADDRESS__)
#define HAS_SWITCH 1
__asm__(".pushsection .text\n"
        ".hidden gptl_own_stack_switch\n.globl gptl_own_stack_switch\n"
        ".type gptl_own_stack_switch, %function\n"
        "gptl_own_stack_switch:\n"
        ".cfi_startproc\n"
        "endbr64\n"
        "push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp, -16\n"
        "mov %rsp, %rbp\n.cfi_def_cfa_register %rbp\n"
        "mov %rdx, %rsp\n"
        "mov %rdi, %rax\n"
        "mov %rsi, %rdi\n"
        "call *%rax\n"
        "leave\n.cfi_def_cfa %rsp, 8\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size gptl_own_stack_switch, . - gptl_own_stack_switch\n"
        ".popsection\n");
#elif defined(__aarch64__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define HAS_SWITCH 1
__asm__(".pushsection .text\n"
        ".hidden gptl_own_stack_switch\n.globl gptl_own_stack_switch\n"
        ".type gptl_own_stack_switch, %function\n"
        "gptl_own_stack_switch:\n"
        ".cfi_startproc\n"
        "stp x29, x30, [sp, #-16]!\n"
        ".cfi_def_cfa_offset 16\n.cfi_offset x29, -16\n.cfi_offset x30, -8\n"
        "mov x29, sp\n.cfi_def_cfa_register x29\n"
        "mov sp, x2\n"
        "mov x3, x0\n"
        "mov x0, x1\n"
        "blr x3\n"
        "mov sp, x29\n"
        "ldp x29, x30, [sp], #16\n.cfi_def_cfa sp, 0\n.cfi_restore x29\n.cfi_restore x30\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size gptl_own_stack_switch, . - gptl_own_stack_switch\n"
        ".popsection\n");
#else
#define HAS_SWITCH 0
#endif

#if HAS_SWITCH
/* Call DO_THIS(ARGUMENT) with the stack pointer at TOP. */
void gptl_own_stack_switch(void (*do_this)(void *), void *argument, void *top);

#ifndef GPTL_INTERPOSES
/*
 * Register a stack with libgptl_io, which excludes calls from this stack, including the calls of a
 * static library or a second copy.
 */
static int tell_io(struct dl_phdr_info *info, size_t size, void *begin)
{
    const char *base = strrchr(info->dlpi_name, '/');
    (void)size;
    if (!base || strncmp(base, "/libgptl_io.so", 14) != 0)
        return 0;
    struct gptl_object object = gptl_object_read(info);
    void (*add)(uintptr_t, size_t);
    *(void **)&add = gptl_object_export(&object, "gptl_posix_add_own");
    if (add)
        add(*(uintptr_t *)begin, SIZE);
    return 1;
}
#endif

/*
 * Create a stack above a guard page. Return 0 on failure and under Valgrind: drd fails when stacks
 * are switched.
 */
static uintptr_t make(void)
{
    enum { FLAGS = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK };
    if (RUNNING_ON_VALGRIND)
        return 0;
    size_t guard = (size_t)sysconf(_SC_PAGESIZE);
    long pages =
        gptl_kernel_call(SYS_mmap, NULL, guard + SIZE, PROT_READ | PROT_WRITE, FLAGS, -1, 0);
    if (pages == -1)
        return 0;
    gptl_kernel_call(SYS_mprotect, pages, guard, PROT_NONE);
    uintptr_t begin = (uintptr_t)pages + guard;
#ifndef GPTL_INTERPOSES
    dl_iterate_phdr(tell_io, &begin);
#endif
    return begin;
}

/* Take a free stack and return its index; -1 if all are taken. */
static int take(void)
{
    for (int i = 0; i < NSTACKS; i++) {
        if (atomic_exchange(&stacks[i].taken, true))
            continue;
        if (!atomic_load(&stacks[i].begin))
            atomic_store(&stacks[i].begin, make());
        if (atomic_load(&stacks[i].begin))
            return i;
        atomic_store(&stacks[i].taken, false);
        return -1;
    }
    return -1;
}

static void call_on(int i, void (*do_this)(void *), void *argument)
{
    gptl_own_stack_switch(do_this, argument, (void *)(atomic_load(&stacks[i].begin) + SIZE));
    atomic_store(&stacks[i].taken, false);
}
#else
static int take(void)
{
    return -1;
}

static void call_on(int i, void (*do_this)(void *), void *argument)
{
    (void)i;
    do_this(argument);
}
#endif

void gptl_own_stack_call(void (*do_this)(void *), void *argument)
{
    int error = errno, i = is_here() ? -1 : take();
    errno = error;
    if (i < 0) {
        do_this(argument);
        return;
    }
    int cancel = gptl_cancel_hold();
    call_on(i, do_this, argument);
    gptl_cancel_release(cancel);
}

void gptl_own_stack_call_blocked(void (*do_this)(void *), void *argument)
{
    uint64_t all = UINT64_MAX, before; /* the kernel's set of signals: libc's takes 128 bytes */
    if (is_here()) {
        do_this(argument);
        return;
    }
    gptl_kernel_call(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof all);
    int error = errno, i = take();
    errno = error;
    if (i < 0) /* no stack is free: run on the current one */
        do_this(argument);
    else
        call_on(i, do_this, argument);
    gptl_kernel_call(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
}
