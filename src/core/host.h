/*
 * host.h - what a hook must leave as it found it, besides what every function has to: errno, and the
 * state of floating-point arithmetic, as no program expects a call between its own two lines.
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
    __builtin_ia32_ldmxcsr(0x1f80); /* as a program begins: to nearest, no traps */
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
 * For what hardly ever changes any of that, and computes with integers: it is looked at, and put back
 * if it is not the same. Setting the state of floating-point arithmetic costs more than looking.
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
 * A call of a function of this library: where the thread's stack, which grows downwards, is when
 * it begins, and where it returns to; 0 for what is not known.
 */
struct gptl_call {
    uintptr_t stack, caller;
};

/* That of the function that this is written in. */
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

/* The same where a frame pointer may be had, in a function that is not always inlined. */
#if defined(__x86_64__)
#define GPTL_CALL_OF_THIS                                                                          \
    ((struct gptl_call){(uintptr_t)__builtin_frame_address(0) + 8,                                 \
                        (uintptr_t)__builtin_return_address(0)})
#else
#define GPTL_CALL_OF_THIS ((struct gptl_call){(uintptr_t)__builtin_frame_address(0), 0})
#endif

/*
 * Whether hooks called at NOW mean that BEFORE, a function's, was left: further down the stack, or at
 * the same place of the same function. (At another place it is one that was inlined.) Nothing is
 * known of one at 0.
 */
static inline __attribute__((always_inline)) bool gptl_call_is_after(struct gptl_call now,
                                                                     struct gptl_call before)
{
    return before.stack &&
           (now.stack > before.stack || (now.stack == before.stack && now.caller == before.caller));
}

/* Whether the call keeps where it returns to at its place on the stack: so it can be seen to last. */
static inline bool gptl_call_is_seen(struct gptl_call call)
{
    return call.caller && call.stack % sizeof(uintptr_t) == 0 &&
           *(volatile uintptr_t *)call.stack == call.caller;
}

/* Code that was built without the usual alignment may call hooks as well. */
#if defined(__i386__) || defined(__x86_64__)
#define GPTL_ALIGNS_STACK __attribute__((force_align_arg_pointer))
#else
#define GPTL_ALIGNS_STACK
#endif

#endif
