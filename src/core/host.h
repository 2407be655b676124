/*
 * host.h - host state that a hook must preserve in addition to the usual registers: errno and the
 * floating-point state. The program does not expect a call between two of its lines.
 */
#ifndef GPTL_CORE_HOST_H
#define GPTL_CORE_HOST_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

struct gptl_host {
    int error;
    unsigned long floating;
};

static inline struct gptl_host gptl_host_save(void)
{
    struct gptl_host host = {errno, 0};
#if defined(__SSE__)
    host.floating = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(0x1f80); /* initial state of a program: round to nearest, no traps */
#elif defined(__aarch64__)
    unsigned long control;
    __asm__ volatile("mrs %0, fpsr" : "=r"(host.floating));
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    host.floating |= control << 32;
    __asm__ volatile("msr fpcr, %0" : : "r"(0ul));
#endif
    return host;
}

static inline void gptl_host_restore(struct gptl_host host)
{
#if defined(__SSE__)
    __builtin_ia32_ldmxcsr((unsigned)host.floating);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpsr, %0" : : "r"(host.floating & 0xffffffff));
    __asm__ volatile("msr fpcr, %0" : : "r"(host.floating >> 32));
#endif
    errno = host.error;
}

/*
 * Save and restore for code that computes with integers and rarely changes this state: restore
 * writes only a changed state. Setting the floating-point state costs more than reading it.
 */
static inline struct gptl_host gptl_host_look(void)
{
    struct gptl_host host = {errno, 0};
#if defined(__SSE__)
    host.floating = __builtin_ia32_stmxcsr();
#elif defined(__aarch64__)
    __asm__ volatile("mrs %0, fpsr" : "=r"(host.floating));
#endif
    return host;
}

static inline void gptl_host_put_back(struct gptl_host before)
{
    if (gptl_host_look().floating != before.floating) {
#if defined(__SSE__)
        __builtin_ia32_ldmxcsr((unsigned)before.floating);
#elif defined(__aarch64__)
        __asm__ volatile("msr fpsr, %0" : : "r"(before.floating));
#endif
    }
    errno = before.error;
}

/*
 * A call of a function of this library: stack pointer at entry (the stack grows downwards) and
 * return address; 0: unknown.
 */
struct gptl_call {
    uintptr_t stack, caller;
};

/* Return the call of the enclosing function. */
static inline __attribute__((always_inline)) struct gptl_call gptl_call_here(void)
{
    struct gptl_call call = {.caller = (uintptr_t)__builtin_return_address(0)};
#if defined(__x86_64__)
    __asm__("mov %%rsp, %0" : "=r"(call.stack));
#elif defined(__aarch64__)
    __asm__("mov %0, sp" : "=r"(call.stack));
#else
    call.stack = (uintptr_t)__builtin_frame_address(0);
#endif
    return call;
}

/* The same with a frame pointer, for a function that is not always inlined. */
#if defined(__x86_64__)
#define GPTL_CALL_OF_THIS                                                                          \
    ((struct gptl_call){(uintptr_t)__builtin_frame_address(0) + 8,                                 \
                        (uintptr_t)__builtin_return_address(0)})
#else
#define GPTL_CALL_OF_THIS ((struct gptl_call){(uintptr_t)__builtin_frame_address(0), 0})
#endif

/*
 * Return whether a hook call NOW implies that BEFORE, the call of a function, has been left: NOW is
 * further down the stack, or at the same position of the same function. (Another position in the
 * function belongs to an inlined one.) Unknown for a call at 0.
 */
static inline __attribute__((always_inline)) bool gptl_call_is_after(struct gptl_call now,
                                                                     struct gptl_call before)
{
    return before.stack &&
           (now.stack > before.stack || (now.stack == before.stack && now.caller == before.caller));
}

/*
 * Return whether the return address is at the call's stack position: then a change there shows that
 * the call has ended.
 */
static inline bool gptl_call_is_seen(struct gptl_call call)
{
    return call.caller && call.stack % sizeof(uintptr_t) == 0 &&
           *(volatile uintptr_t *)call.stack == call.caller;
}

/* Align the stack: code compiled without the usual alignment may call hooks as well. */
#if defined(__i386__) || defined(__x86_64__)
#define GPTL_ALIGNS_STACK __attribute__((force_align_arg_pointer))
#else
#define GPTL_ALIGNS_STACK
#endif

#endif
