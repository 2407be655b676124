/*
 * exec.c - libgptl_run: keeps programs started by a process of `gptl run` under measurement, even
 * if they get a different environment (`env -i`, a launcher that cleans up, a batch system).
 *
 * It interposes the functions that start programs, and adds the variables saved at startup to their
 * environment. It depends on no other library of ours. system(3) and popen(3) use the environment
 * of this process.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "core/stderr.h"
#include "posix/raw.h"
#include "run/confine.h"
#include "run/environment.h"
#include "run/target.h"

extern char **environ;

/* ---- Next definitions ------------------------------------------------------------------------ */

#define CALLS(C)                                                                                   \
    C(execve, (const char *path, char *const argv[], char *const envp[]))                          \
    C(execvpe, (const char *file, char *const argv[], char *const envp[]))                         \
    C(fexecve, (int fd, char *const argv[], char *const envp[]))                                   \
    C(execveat, (int dir, const char *path, char *const argv[], char *const envp[], int flags))    \
    C(posix_spawn, (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions,      \
                    const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]))  \
    C(posix_spawnp, (pid_t * pid, const char *file, const posix_spawn_file_actions_t *actions,     \
                     const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]))

#define MEMBER(name, params) int(*name) params;
static struct {
    CALLS(MEMBER)
} next;

static int missing(void)
{
    errno = ENOSYS;
    return -1;
}

static void find(void)
{
    void *found;
#define FIND(name, params)                                                                         \
    found = dlsym(RTLD_NEXT, #name);                                                               \
    *(void **)&next.name = found ? found : (void *)missing;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
    CALLS(FIND)
#pragma GCC diagnostic pop
    dlerror(); /* missing functions are not an error of the program */
}

/* Resolve everything at load: after fork, the dynamic linker's lock may be held forever. */
static void load(void)
{
    find();
    gptl_run_remember();
    gptl_run_confine_begin();
    gptl_run_target_begin();
}

/* Constructor; glibc's loader passes it the arguments of main. */
__attribute__((constructor)) static void begin(int argc, char **argv)
{
    (void)argc;
    if (!gptl_run_target_is_container(argv)) {
        load();
        return;
    }
    find();
    gptl_run_strip(environ);
}

/* Initialize on demand, for libraries that start programs while they are loaded. */
static void load_early(void)
{
    if (!next.posix_spawnp)
        load();
}

/* ---- Starting programs ----------------------------------------------------------------------- */

/* Largest environment accepted by Linux with default limits. */
enum { MOST = 1 << 20 };

static void say_too_large(const char *path)
{
    static const char before[] = "gptl run: ";
    static const char after[] = " is started without the library: its environment is too large\n";
    char line[512];
    size_t n = strnlen(path, sizeof line - sizeof before - sizeof after);
    memcpy(line, before, sizeof before - 1);
    memcpy(line + sizeof before - 1, path, n);
    memcpy(line + sizeof before - 1 + n, after, sizeof after - 1);
    gptl_stderr_write(line, sizeof before - 1 + n + sizeof after - 1);
}

/*
 * Buffer for a new environment; the stack may be too small. A child of vfork leaves the buffer to
 * its parent, whose next exec reuses it. A signal handler that interrupts an exec uses another
 * buffer.
 */
static __thread struct {
    void *pages;
    size_t size;
    long user; /* process that uses the contents, or 0 */
} room __attribute__((tls_model("initial-exec")));

static void *take_room(size_t size)
{
    long process = gptl_kernel_call(SYS_getpid);
    bool is_used = room.user == process;
    if (room.size >= size && !is_used) {
        room.user = process;
        return room.pages;
    }
    void *pages = gptl_raw_pages(size);
    if (pages && !is_used) {
        if (room.pages)
            gptl_raw_free(room.pages, room.size);
        room.pages = pages;
        room.size = size;
        room.user = process;
    }
    return pages;
}

/* Return ENVP without our libraries, for a program that cannot load them. */
static char *const *reduce(char *const *envp)
{
    void *made = take_room(gptl_run_bare_size(envp));
    return made ? gptl_run_bare(envp, made) : envp;
}

/*
 * Return the complete environment if program PATH can load our libraries; PATH NULL: a descriptor.
 * SEARCHES: as in execvp.
 */
static char *const *complete(const char *path, bool searches, char *const argv[], char *const *envp)
{
    load_early();
    if (!gptl_run_target_fits(path, searches, argv, envp))
        return reduce(envp);
    size_t size = gptl_run_missing(envp);
    if (size > MOST)
        say_too_large(path ? path : "a program");
    void *made = size > 0 && size <= MOST ? take_room(size) : NULL;
    return made ? gptl_run_complete(envp, made) : envp;
}

/* Release the buffer after a failed exec or after a spawn. */
static int came_back(int result)
{
    if (room.user == gptl_kernel_call(SYS_getpid))
        room.user = 0;
    return result;
}

#define WRAPPER(name, params)                                                                      \
    __attribute__((visibility("default"))) int gptl_run_##name params __asm__(#name);              \
    int gptl_run_##name params

WRAPPER(execve, (const char *path, char *const argv[], char *const *envp))
{
    envp = complete(path, false, argv, envp);
    return came_back(next.execve(path, argv, envp));
}

WRAPPER(execv, (const char *path, char *const argv[]))
{
    char *const *envp = environ;
    envp = complete(path, false, argv, envp);
    return came_back(next.execve(path, argv, envp));
}

WRAPPER(execvpe, (const char *file, char *const argv[], char *const *envp))
{
    envp = complete(file, true, argv, envp);
    return came_back(next.execvpe(file, argv, envp));
}

WRAPPER(execvp, (const char *file, char *const argv[]))
{
    char *const *envp = environ;
    envp = complete(file, true, argv, envp);
    return came_back(next.execvpe(file, argv, envp));
}

WRAPPER(fexecve, (int fd, char *const argv[], char *const *envp))
{
    envp = complete(NULL, false, argv, envp);
    return came_back(next.fexecve(fd, argv, envp));
}

WRAPPER(execveat, (int dir, const char *path, char *const argv[], char *const *envp, int flags))
{
    envp = complete(NULL, false, argv, envp);
    return came_back(next.execveat(dir, path, argv, envp, flags));
}

WRAPPER(posix_spawn, (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions,
                      const posix_spawnattr_t *attributes, char *const argv[], char *const *envp))
{
    envp = complete(path, false, argv, envp);
    return came_back(next.posix_spawn(pid, path, actions, attributes, argv, envp));
}

WRAPPER(posix_spawnp, (pid_t * pid, const char *file, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const argv[], char *const *envp))
{
    envp = complete(file, true, argv, envp);
    return came_back(next.posix_spawnp(pid, file, actions, attributes, argv, envp));
}

/* Collect variadic arguments up to NULL in an array on the stack. */
#define LISTED(name, call, with_environment)                                                       \
    WRAPPER(name, (const char *path, const char *arg, ...))                                        \
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
        char *const *envp = with_environment ? va_arg(list, char *const *) : environ;              \
        va_end(list);                                                                              \
        envp = complete(path, next.call == next.execvpe, argv, envp);                              \
        return came_back(next.call(path, argv, envp));                                             \
    }
LISTED(execl, execve, 0)
LISTED(execlp, execvpe, 0)
LISTED(execle, execve, 1)
