/*
 * Calls that libc or the kernel refuses before it accesses a pointer, with invalid pointers. Each
 * is made in a child, so that a crash is detected, and its result and errno are printed.
 */
#define _GNU_SOURCE
#include <aio.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#define TRY(call)                                                                                  \
    do {                                                                                           \
        fflush(stdout);                                                                            \
        pid_t child = fork();                                                                      \
        if (child == 0) {                                                                          \
            errno = 0;                                                                             \
            long result = (long)(call);                                                            \
            printf("%s: %ld %d\n", #call, result, errno);                                          \
            fflush(stdout);                                                                        \
            _exit(0);                                                                              \
        }                                                                                          \
        int status;                                                                                \
        waitpid(child, &status, 0);                                                                \
        if (WIFSIGNALED(status))                                                                   \
            printf("%s: signal %d\n", #call, WTERMSIG(status));                                    \
    } while (0)

static char *volatile nowhere = (char *)8; /* hides the value from the compiler */
static int f;
static volatile int minus_one = -1;
static char buffer[64];
static struct stat status_;

static void try_vectors(void)
{
    struct iovec *v = (void *)nowhere;
    struct iovec half[2] = {{buffer, 4}, {nowhere, 4}};
    struct msghdr of_nothing = {.msg_iov = v, .msg_iovlen = 3};
    struct msghdr endless = {.msg_iov = v, .msg_iovlen = (size_t)-1};
    TRY(readv(-1, v, 3));
    TRY(writev(-1, v, 3));
    TRY(readv(f, v, 3));
    TRY(readv(f, v, minus_one));
    TRY(writev(f, v, 2000));
    TRY(writev(f, half, 2));
    TRY(preadv(-1, v, 3, 0));
    TRY(preadv(f, v, 3, -5));
    TRY(pwritev2(-1, v, 3, 0, 0));
    TRY(pwritev2(f, v, 3, 0, 0x7000));
    TRY(sendmsg(f, &of_nothing, 0));
    TRY(sendmsg(f, NULL, 0));
    TRY(recvmsg(-1, (struct msghdr *)nowhere, 0));
    TRY(recvmsg(-1, &endless, 0));
}

static void try_offsets(void)
{
    off64_t *at = (void *)nowhere;
    TRY(copy_file_range(-1, at, -1, at, 1, 0));
    TRY(copy_file_range(f, at, f, NULL, 1, 77));
    TRY(splice(-1, at, -1, at, 1, 0));
    TRY(sendfile(-1, -1, (off_t *)at, 1));
    TRY(sendfile(f, -1, (off_t *)at, 1));
}

static void try_paths(void)
{
    char *pages = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(pages, 'a', 3 * 4096);
    munmap(pages + 2 * 4096, 4096);
    char *unended = pages + 4096, *few = pages + 2 * 4096 - 3;
    TRY(open(nowhere, O_RDONLY));
    TRY(open(nowhere, O_TMPFILE | O_RDONLY));
    TRY(open(NULL, O_RDONLY));
    TRY(open(unended, O_RDONLY));
    TRY(open(few, O_RDONLY));
    TRY(stat(unended, &status_));
    TRY(stat(few, &status_));
    TRY(stat(NULL, &status_));
    TRY(access(nowhere, 077));
    TRY(access(unended, 0));
    TRY(unlink(pages));
    TRY(unlinkat(AT_FDCWD, nowhere, 0xff));
    TRY(truncate(nowhere, -1));
    TRY(readlink(nowhere, buffer, 0));
    TRY(statx(AT_FDCWD, nowhere, 0xffff, 0, NULL));
    TRY(fstatat(AT_FDCWD, nowhere, &status_, 0xffff));
    TRY(fchownat(AT_FDCWD, nowhere, 0, 0, 0xffff));
    TRY(mknod(nowhere, 0170000, 0));
    TRY(renameat2(AT_FDCWD, nowhere, AT_FDCWD, nowhere, 0xff));
    TRY(rename("none/none", nowhere));
    TRY(linkat(AT_FDCWD, nowhere, AT_FDCWD, nowhere, 0xff00));
    TRY(symlink("x", nowhere));
    TRY(realpath(NULL, NULL));
    TRY(setxattr(nowhere, nowhere, nowhere, 1, 77));
    TRY(memfd_create("name", 0x7000000));
    TRY(chdir(nowhere));
    TRY(chdir(few));
    TRY(stat("none", &status_));
    TRY(mkdir("f", 0700));
    TRY(open("f/none", O_RDONLY));
}

static void try_streams(void)
{
    TRY(fopen(nowhere, "r"));
    TRY(fopen(nowhere, "q"));
    TRY(fopen("f", "q"));
    TRY(fdopen(-1, "r"));
    TRY(fdopen(f, "q"));
    TRY(freopen("none/none", "r", stdin));
    TRY(getline(NULL, NULL, stdin));
    TRY(fflush(NULL));
    TRY(fdopendir(f));
    TRY(closedir(NULL));
    TRY(opendir("f"));
}

static void try_others(void)
{
    struct aiocb *list[2] = {NULL, (struct aiocb *)nowhere};
    char *strings[2] = {nowhere, NULL}, *arguments[2] = {"true", NULL};
    pid_t child;
    TRY(write(f, NULL, 5));
    TRY(read(f, nowhere, 5));
    TRY(pread(f, buffer, 5, -1));
    TRY(lseek(f, -1, SEEK_SET));
    TRY(lseek(f, 0, 99));
    TRY(dup2(f, -1));
    TRY(dup2(-1, 5));
    TRY(dup3(f, f, 0));
    TRY(fcntl(f, F_DUPFD, -1));
    TRY(fcntl(f, F_GETLK, nowhere));
    TRY(fcntl(f, 9999));
    TRY(ftruncate(f, -1));
    TRY(fallocate(f, 0, 0, 0));
    TRY(posix_fallocate(f, 0, 0));
    TRY(close(-1));
    TRY(close(999));
    TRY(mmap(NULL, 0, PROT_READ, MAP_SHARED, f, 0) == MAP_FAILED);
    TRY(lio_listio(99, list, 2, NULL));
    TRY(lio_listio(99, (struct aiocb **)nowhere, 2, NULL));
    TRY(execve("/bin/true", arguments, (char **)nowhere));
    TRY(execve("/bin/true", arguments, strings));
    TRY(execve("/bin/true", (char **)nowhere, environ));
    TRY(execv(nowhere, arguments));
    TRY(posix_spawn(&child, "/none", NULL, NULL, arguments, strings));
}

int main(void)
{
    f = open("f", O_CREAT | O_RDWR, 0600);
    try_vectors();
    try_offsets();
    try_paths();
    try_streams();
    try_others();
    return 0;
}
