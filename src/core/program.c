/* program.c - path of the program. */
#include "config.h"

#include "core/program.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char self[] = "/proc/self/exe";

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static size_t append(char program[PATH_MAX], size_t n, const char *text)
{
    while (*text && n + 1 < PATH_MAX)
        program[n++] = *text++;
    program[n] = '\0';
    return n;
}

static bool is_self(const char *path)
{
    struct stat started, own;
    return syscall(SYS_newfstatat, AT_FDCWD, path, &started, 0) == 0 &&
           syscall(SYS_newfstatat, AT_FDCWD, self, &own, 0) == 0 && started.st_dev == own.st_dev &&
           started.st_ino == own.st_ino;
}

static size_t own_path(char program[PATH_MAX])
{
    long n = syscall(SYS_readlinkat, AT_FDCWD, self, program, PATH_MAX - 1);
    size_t length = n > 0 ? (size_t)n : 0;
    program[length] = '\0';
    return length;
}

size_t gptl_program_path(char program[PATH_MAX], const char *directory)
{
    const char *name = (const char *)getauxval(AT_EXECFN);
    size_t length = own_path(program);
    if (!name || strcmp(last_part(name), last_part(program)) == 0)
        return length;
    length = 0;
    if (*name != '/') {
        length = append(program, append(program, 0, directory), "/");
        name += strncmp(name, "./", 2) == 0 ? 2 : 0;
    }
    length = append(program, length, name);
    return is_self(program) ? length : own_path(program);
}
