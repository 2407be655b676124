/*
 * wrap_process.c - the wrappers of calls by which a process starts, ends, or executes another
 * program.
 */
#include "config.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "posix/next.h"
#include "posix/offer.h"
#include "posix/raw.h"
#include "posix/setup.h"

extern char **environ;

/* ---- Starting -------------------------------------------------------------------------------- */

/*
 * A child of vfork runs in its parent's memory, and uses it to report to the parent that exec
 * failed. So vfork must not become a fork; the child's calls are excluded (gptl_posix_vforked).
 * vfork returns twice, which no calling function survives, so the wrapper jumps to it.
 */
#if defined(__x86_64__)
#define VFORK(name)                                                                                \
    __asm__(".pushsection .text\n"                                                                 \
            ".globl " #name "\n"                                                                   \
            ".type " #name ", @function\n" #name ":\n"                                             \
            ".cfi_startproc\n"                                                                     \
            "endbr64\n"                                                                            \
            "sub $8, %rsp\n"                                                                       \
            ".cfi_def_cfa_offset 16\n"                                                             \
            "call gptl_posix_vfork_begins\n"                                                       \
            "add $8, %rsp\n"                                                                       \
            ".cfi_def_cfa_offset 8\n"                                                              \
            "jmp *%rax\n"                                                                          \
            ".cfi_endproc\n"                                                                       \
            ".size " #name ", .-" #name "\n"                                                       \
            ".popsection\n");
#elif defined(__aarch64__)
#define VFORK(name)                                                                                \
    __asm__(".pushsection .text\n"                                                                 \
            ".globl " #name "\n"                                                                   \
            ".type " #name ", %function\n" #name ":\n"                                             \
            ".cfi_startproc\n"                                                                     \
            "stp x29, x30, [sp, #-16]!\n"                                                          \
            ".cfi_def_cfa_offset 16\n"                                                             \
            ".cfi_offset 29, -16\n"                                                                \
            ".cfi_offset 30, -8\n"                                                                 \
            "bl gptl_posix_vfork_begins\n"                                                         \
            "ldp x29, x30, [sp], #16\n"                                                            \
            ".cfi_restore 29\n"                                                                    \
            ".cfi_restore 30\n"                                                                    \
            ".cfi_def_cfa_offset 0\n"                                                              \
            "mov x16, x0\n"                                                                        \
            "br x16\n"                                                                             \
            ".cfi_endproc\n"                                                                       \
            ".size " #name ", .-" #name "\n"                                                       \
            ".popsection\n");
#else /* by POSIX, fork permits all that a child of vfork may do */
#define VFORK(name)                                                                                \
    WRAPPER(name, pid_t, (void))                                                                   \
    {                                                                                              \
        return fork();                                                                             \
    }
#endif
VFORK(vfork)
VFORK(__vfork)

/* Children started inside libc, without fork handlers, also inherit the descriptors. */
#define BEGINS(name, params, args)                                                                 \
    WRAPPER(name, int, params)                                                                     \
    {                                                                                              \
        gptl_posix_share_all();                                                                    \
        return gptl_posix_next.name args;                                                          \
    }
BEGINS(posix_spawn,
       (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions,
        const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]),
       (pid, path, actions, attributes, argv, envp))
BEGINS(posix_spawnp,
       (pid_t * pid, const char *file, const posix_spawn_file_actions_t *actions,
        const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]),
       (pid, file, actions, attributes, argv, envp))
BEGINS(system, (const char *command), (command))

/* _Fork calls no fork handlers. */
WRAPPER(_Fork, pid_t, (void))
{
    gptl_posix_share_all();
    pid_t pid = gptl_posix_next._Fork();
    if (pid == 0)
        gptl_posix_child();
    return pid;
}

/* ---- Executing another program --------------------------------------------------------------- */

#define EXEC(name, params, args)                                                                   \
    WRAPPER(name, int, params)                                                                     \
    {                                                                                              \
        gptl_posix_leave(true);                                                                    \
        return gptl_posix_next.name args;                                                          \
    }
EXEC(execve, (const char *path, char *const argv[], char *const envp[]), (path, argv, envp))
EXEC(execv, (const char *path, char *const argv[]), (path, argv))
EXEC(execvp, (const char *file, char *const argv[]), (file, argv))
EXEC(execvpe, (const char *file, char *const argv[], char *const envp[]), (file, argv, envp))
EXEC(fexecve, (int fd, char *const argv[], char *const envp[]), (fd, argv, envp))
EXEC(execveat, (int dir, const char *path, char *const argv[], char *const envp[], int flags),
     (dir, path, argv, envp, flags))

/* Collects the arguments up to NULL in an array on the stack: allocation after fork is unsafe. */
#define EXECL(name, next, with_environment)                                                        \
    __attribute__((visibility("default"))) int gptl_wrap_##name(const char *path, const char *arg, \
                                                                ...) __asm__(#name);               \
    int gptl_wrap_##name(const char *path, const char *arg, ...)                                   \
    {                                                                                              \
        va_list list;                                                                              \
        size_t n = arg != NULL;                                                                    \
        va_start(list, arg);                                                                       \
        while (n > 0 && va_arg(list, char *))                                                      \
            n++;                                                                                   \
        va_end(list);                                                                              \
        if (n >= INT_MAX / sizeof(char *)) {                                                       \
            errno = E2BIG;                                                                         \
            return -1;                                                                             \
        }                                                                                          \
        char **argv = __builtin_alloca((n + 1) * sizeof *argv);                                    \
        argv[0] = (char *)(uintptr_t)arg;                                                          \
        va_start(list, arg);                                                                       \
        for (size_t i = 1; i <= n && arg; i++)                                                     \
            argv[i] = va_arg(list, char *);                                                        \
        char **envp = with_environment ? va_arg(list, char **) : environ;                          \
        va_end(list);                                                                              \
        gptl_posix_leave(true);                                                                    \
        return gptl_posix_next.next(path, argv, envp);                                             \
    }
EXECL(execl, execve, false)
EXECL(execlp, execvpe, false)
EXECL(execle, execve, true)

/* ---- Dropping privileges --------------------------------------------------------------------- */

#define CONFINE(name, params, args)                                                                \
    WRAPPER(name, int, params)                                                                     \
    {                                                                                              \
        gptl_posix_confine();                                                                      \
        return gptl_posix_next.name args;                                                          \
    }
CONFINE(setuid, (uid_t user), (user))
CONFINE(seteuid, (uid_t effective), (effective))
CONFINE(setreuid, (uid_t real, uid_t effective), (real, effective))
CONFINE(setresuid, (uid_t real, uid_t effective, uid_t saved), (real, effective, saved))

/* ---- Ending ---------------------------------------------------------------------------------- */

#define EXIT(name)                                                                                 \
    __attribute__((noreturn)) WRAPPER(name, void, (int status))                                    \
    {                                                                                              \
        gptl_posix_leave(false);                                                                   \
        gptl_posix_next.name(status);                                                              \
        for (;;) /* it does not return */                                                          \
            gptl_kernel_call(SYS_exit_group, status);                                              \
    }
EXIT(_exit)
EXIT(_Exit)
