/*
 * any_jumps.h - functions that jump through a table, in the assembler of this processor.
 *
 * The arguments of a function are unknown here, so registers, stack and return address stay
 * untouched. Initially an entry leads to gptl_mpi_any_find, which is called with all argument
 * registers saved and restored.
 */
#ifndef GPTL_MPI_ANY_JUMPS_H
#define GPTL_MPI_ANY_JUMPS_H

/* ENTER looks up the address for the entry whose number is in a scratch register. */
#if defined __x86_64__
#define GPTL_MPI_ANY_ENTER                                                                         \
    "gptl_mpi_any_enter:\n"                                                                        \
    ".cfi_startproc\n"                                                                             \
    "push %rdi\n push %rsi\n push %rdx\n push %rcx\n push %r8\n push %r9\n push %rax\n"            \
    "sub $128, %rsp\n"                                                                             \
    ".cfi_adjust_cfa_offset 184\n"                                                                 \
    "movaps %xmm0, (%rsp)\n movaps %xmm1, 16(%rsp)\n movaps %xmm2, 32(%rsp)\n"                     \
    "movaps %xmm3, 48(%rsp)\n movaps %xmm4, 64(%rsp)\n movaps %xmm5, 80(%rsp)\n"                   \
    "movaps %xmm6, 96(%rsp)\n movaps %xmm7, 112(%rsp)\n"                                           \
    "mov %r11d, %edi\n"                                                                            \
    "call gptl_mpi_any_find\n"                                                                     \
    "mov %rax, %r11\n"                                                                             \
    "movaps (%rsp), %xmm0\n movaps 16(%rsp), %xmm1\n movaps 32(%rsp), %xmm2\n"                     \
    "movaps 48(%rsp), %xmm3\n movaps 64(%rsp), %xmm4\n movaps 80(%rsp), %xmm5\n"                   \
    "movaps 96(%rsp), %xmm6\n movaps 112(%rsp), %xmm7\n"                                           \
    "add $128, %rsp\n"                                                                             \
    "pop %rax\n pop %r9\n pop %r8\n pop %rcx\n pop %rdx\n pop %rsi\n pop %rdi\n"                   \
    ".cfi_adjust_cfa_offset -184\n"                                                                \
    "jmp *%r11\n"                                                                                  \
    ".cfi_endproc\n"
#define GPTL_MPI_ANY_JUMP(number) "endbr64\n jmp *gptl_mpi_any_table+8*" #number "(%rip)\n"
#define GPTL_MPI_ANY_FIRST(number) "endbr64\n mov $" #number ", %r11d\n jmp gptl_mpi_any_enter\n"
#elif defined __aarch64__
#define GPTL_MPI_ANY_ENTER                                                                         \
    "gptl_mpi_any_enter:\n"                                                                        \
    ".cfi_startproc\n"                                                                             \
    "stp x29, x30, [sp, #-224]!\n"                                                                 \
    ".cfi_adjust_cfa_offset 224\n .cfi_rel_offset x29, 0\n .cfi_rel_offset x30, 8\n"               \
    "mov x29, sp\n"                                                                                \
    "stp x0, x1, [sp, #16]\n stp x2, x3, [sp, #32]\n stp x4, x5, [sp, #48]\n"                      \
    "stp x6, x7, [sp, #64]\n str x8, [sp, #80]\n"                                                  \
    "stp q0, q1, [sp, #96]\n stp q2, q3, [sp, #128]\n stp q4, q5, [sp, #160]\n"                    \
    "stp q6, q7, [sp, #192]\n"                                                                     \
    "mov w0, w17\n"                                                                                \
    "bl gptl_mpi_any_find\n"                                                                       \
    "mov x16, x0\n"                                                                                \
    "ldp x0, x1, [sp, #16]\n ldp x2, x3, [sp, #32]\n ldp x4, x5, [sp, #48]\n"                      \
    "ldp x6, x7, [sp, #64]\n ldr x8, [sp, #80]\n"                                                  \
    "ldp q0, q1, [sp, #96]\n ldp q2, q3, [sp, #128]\n ldp q4, q5, [sp, #160]\n"                    \
    "ldp q6, q7, [sp, #192]\n"                                                                     \
    "ldp x29, x30, [sp], #224\n"                                                                   \
    ".cfi_adjust_cfa_offset -224\n .cfi_restore x29\n .cfi_restore x30\n"                          \
    "br x16\n"                                                                                     \
    ".cfi_endproc\n"
#define GPTL_MPI_ANY_JUMP(number)                                                                  \
    "hint #34\n adrp x16, gptl_mpi_any_table+8*" #number "\n"                                      \
    "ldr x16, [x16, :lo12:gptl_mpi_any_table+8*" #number "]\n br x16\n"
#define GPTL_MPI_ANY_FIRST(number) "hint #34\n mov w17, #" #number "\n b gptl_mpi_any_enter\n"
#endif

#endif
