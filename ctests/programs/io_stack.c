/*
 * The stack usage of each I/O call: it is made on a painted stack, the first time and again. Prints
 * the number of bytes and the call.
 */
#define _GNU_SOURCE
#include <aio.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <ucontext.h>
#include <unistd.h>
#include <utime.h>
#include <wchar.h>

enum { SIZE = 1 << 17, PAINT = 0x5a };
static char *stack;
static ucontext_t outside, inside;
static void (*body)(void);

static void start(void)
{
    body();
}

static void take_stack(int sharing)
{
    stack = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS, -1, 0);
}

static void measure(const char *name, void (*call)(void))
{
    memset(stack, PAINT, SIZE);
    body = call;
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = SIZE;
    inside.uc_link = &outside;
    makecontext(&inside, start, 0);
    swapcontext(&outside, &inside);
    long i = 0;
    while (i < SIZE && stack[i] == PAINT)
        i++;
    dprintf(STDERR_FILENO, "%ld %s\n", SIZE - i, name);
}

static int fd = -1, other, sockets[2];
static FILE *f, *wide, *input, *wide_input;
static DIR *directory;
static void *mapped;
static char bytes[4096], *line;
static size_t line_size;
static wchar_t words[64];
static struct stat status;
static struct stat64 status64;
static struct statx statx_;
static struct statfs statfs_;
static struct statvfs statvfs_;
static struct iovec vector = {bytes, 8};
static struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
static struct aiocb request;
static fpos_t place;
static int number;
static off_t at;
static char template[32];
extern char **environ;

/* A va_list for the calls that take one. */
static int listed(int which, ...)
{
    va_list list;
    int result = 0;
    va_start(list, which);
    switch (which) {
    case 0:
        result = vprintf("%d\n", list);
        break;
    case 1:
        result = vfprintf(f, "%d %s\n", list);
        break;
    case 2:
        result = vdprintf(fd, "%d %s\n", list);
        break;
    case 3:
        result = vfwprintf(wide, L"%d\n", list);
        break;
    case 4:
        result = vfscanf(input, "%d", list);
        break;
    default:
        result = vfwscanf(wide_input, L"%d", list);
    }
    va_end(list);
    return result;
}

#define CALLS(C)                                                                                   \
    C(fd = open("file", O_CREAT | O_RDWR, 0600))                                                   \
    C(write(fd, bytes, 8))                                                                         \
    C(pwrite(fd, bytes, 8, 100))                                                                   \
    C(writev(fd, &vector, 1))                                                                      \
    C(pwritev(fd, &vector, 1, 0))                                                                  \
    C(pwritev2(fd, &vector, 1, 0, 0))                                                              \
    C(lseek(fd, 0, SEEK_SET))                                                                      \
    C(read(fd, bytes, 8))                                                                          \
    C(read(fd, bytes, 4000))                                                                       \
    C(pread(fd, bytes, 8, 0))                                                                      \
    C(readv(fd, &vector, 1))                                                                       \
    C(preadv(fd, &vector, 1, 0))                                                                   \
    C(preadv2(fd, &vector, 1, 0, 0))                                                               \
    C(read(STDIN_FILENO, bytes, 8))                                                                \
    C(read(999, bytes, 8))                                                                         \
    C(readv(-1, &vector, 1))                                                                       \
    C(close(open("other", O_CREAT | O_RDWR, 0600)))                                                \
    C(open("none", O_RDONLY))                                                                      \
    C(open("file/none", O_RDONLY))                                                                 \
    C(close(openat(AT_FDCWD, "file", O_RDONLY)))                                                   \
    C(close(creat("other", 0600)))                                                                 \
    C(close(mkstemp(strcpy(template, "tXXXXXX"))))                                                 \
    C(close(memfd_create("memory", 0)))                                                            \
    C(fsync(fd))                                                                                   \
    C(fdatasync(fd))                                                                               \
    C(ftruncate(fd, 1000))                                                                         \
    C(fallocate(fd, 0, 0, 100))                                                                    \
    C(posix_fallocate(fd, 0, 100))                                                                 \
    C(posix_fadvise(fd, 0, 100, 0))                                                                \
    C(readahead(fd, 0, 100))                                                                       \
    C(sync_file_range(fd, 0, 1, 0))                                                                \
    C(lockf(fd, F_TEST, 1))                                                                        \
    C(flock(fd, LOCK_SH))                                                                          \
    C(fchmod(fd, 0600))                                                                            \
    C(futimens(fd, NULL))                                                                          \
    C(fstat(fd, &status))                                                                          \
    C(fstat64(fd, &status64))                                                                      \
    C(fstatfs(fd, &statfs_))                                                                       \
    C(fstatvfs(fd, &statvfs_))                                                                     \
    C(fpathconf(fd, _PC_NAME_MAX))                                                                 \
    C(fgetxattr(fd, "user.x", bytes, 8))                                                           \
    C(flistxattr(fd, bytes, 8))                                                                    \
    C(other = dup(fd))                                                                             \
    C(dup2(fd, other))                                                                             \
    C(dup3(fd, other, O_CLOEXEC))                                                                  \
    C(close(fcntl(fd, F_DUPFD, 20)))                                                               \
    C(fcntl(fd, F_GETFL))                                                                          \
    C(ioctl_of(fd))                                                                                \
    C(close_range(other, other, 0))                                                                \
    C(stat("file", &status))                                                                       \
    C(stat("none", &status))                                                                       \
    C(stat("file/none", &status))                                                                  \
    C(lstat("file", &status))                                                                      \
    C(fstatat(AT_FDCWD, "file", &status, 0))                                                       \
    C(statx(AT_FDCWD, "file", 0, 0, &statx_))                                                      \
    C(statfs("file", &statfs_))                                                                    \
    C(statvfs("file", &statvfs_))                                                                  \
    C(access("file", R_OK))                                                                        \
    C(euidaccess("file", R_OK))                                                                    \
    C(faccessat(AT_FDCWD, "file", R_OK, 0))                                                        \
    C(chmod("file", 0600))                                                                         \
    C(utime("file", NULL))                                                                         \
    C(utimes("file", NULL))                                                                        \
    C(utimensat(AT_FDCWD, "file", NULL, 0))                                                        \
    C(mkdir("folder", 0700))                                                                       \
    C(rmdir("folder"))                                                                             \
    C(mkfifo("fifo", 0600))                                                                        \
    C(unlink("fifo"))                                                                              \
    C(symlink("file", "link"))                                                                     \
    C(readlink("link", bytes, 100))                                                                \
    C(realpath("link", bytes))                                                                     \
    C(remove("link"))                                                                              \
    C(link("file", "link"))                                                                        \
    C(rename("link", "other"))                                                                     \
    C(rename("none/none", "other"))                                                                \
    C(unlinkat(AT_FDCWD, "other", 0))                                                              \
    C(truncate("file", 1000))                                                                      \
    C(pathconf("file", _PC_NAME_MAX))                                                              \
    C(getxattr("file", "user.x", bytes, 8))                                                        \
    C(chdir("."))                                                                                  \
    C(close(open("file", O_RDONLY)))                                                               \
    C(chdir("none"))                                                                               \
    C(fchdir(fd))                                                                                  \
    C(directory = opendir("."))                                                                    \
    C(readdir(directory))                                                                          \
    C(closedir(directory))                                                                         \
    C(mapped = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0))                                     \
    C(msync(mapped, 4096, MS_ASYNC))                                                               \
    C(munmap(mapped, 4096))                                                                        \
    C(sendfile(fd, fd, &at, 8))                                                                    \
    C(copy_file_range(fd, &at, fd, NULL, 8, 0))                                                    \
    C(splice(fd, NULL, fd, NULL, 8, 0))                                                            \
    C(socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets))                                                 \
    C(send(sockets[0], bytes, 8, 0))                                                               \
    C(recv(sockets[1], bytes, 8, 0))                                                               \
    C(sendmsg(sockets[0], &message, 0))                                                            \
    C(recvmsg(sockets[1], &message, 0))                                                            \
    C(aio_return(&request))                                                                        \
    C(f = fopen("stream", "w+"))                                                                   \
    C(fopen("none", "r"))                                                                          \
    C(fputs("12 34\n", f))                                                                         \
    C(fwrite("12 34\n", 1, 6, f))                                                                  \
    C(fputc('1', f))                                                                               \
    C(putc('\n', f))                                                                               \
    C(fprintf(f, "%d %s\n", 12, "34"))                                                             \
    C(fprintf(f, "%g %Lg\n", 1.25, 2.5L))                                                          \
    C(printf("%d %s\n", 12, "34"))                                                                 \
    C(puts("12"))                                                                                  \
    C(dprintf(fd, "%d\n", 12))                                                                     \
    C(listed(0, 12))                                                                               \
    C(listed(1, 12, "34"))                                                                         \
    C(listed(2, 12, "34"))                                                                         \
    C(fflush(f))                                                                                   \
    C(fflush(NULL))                                                                                \
    C(fseek(f, 0, SEEK_SET))                                                                       \
    C(fseeko(f, 0, SEEK_SET))                                                                      \
    C(ftell(f))                                                                                    \
    C(fgetpos(f, &place))                                                                          \
    C(fsetpos(f, &place))                                                                          \
    C(rewind_of(f))                                                                                \
    C(fread(bytes, 1, 2, f))                                                                       \
    C(fgetc(f))                                                                                    \
    C(getc(f))                                                                                     \
    C(fgets(bytes, 100, f))                                                                        \
    C(getline(&line, &line_size, f))                                                               \
    C(getdelim(&line, &line_size, ' ', f))                                                         \
    C(fclose(f))                                                                                   \
    C(input = fopen("stream", "r"))                                                                \
    C(fscanf(input, "%d", &number))                                                                \
    C(fscanf(input, "%d %d", &number, &number))                                                    \
    C(listed(4, &number))                                                                          \
    C(scanf("%d", &number))                                                                        \
    C(fread(bytes, 1, 4000, input))                                                                \
    C(fclose(input))                                                                               \
    C(wide = fopen("wide", "w"))                                                                   \
    C(fputwc(L'1', wide))                                                                          \
    C(fputws(L"2 3 4 5 6 7\n", wide))                                                              \
    C(fwprintf(wide, L"%d %ls\n", 12, L"34"))                                                      \
    C(listed(3, 12))                                                                               \
    C(fclose(wide))                                                                                \
    C(wide_input = fopen("wide", "r"))                                                             \
    C(fgetwc(wide_input))                                                                          \
    C(fwscanf(wide_input, L"%d", &number))                                                         \
    C(listed(5, &number))                                                                          \
    C(fgetws(words, 60, wide_input))                                                               \
    C(fclose(freopen("stream", "r", wide_input)))                                                  \
    C(fclose(fdopen(dup(fd), "r")))                                                                \
    C(fclose(tmpfile()))                                                                           \
    C(pclose(popen("true", "r")))                                                                  \
    C(many_writes())                                                                               \
    C(many_files())                                                                                \
    C(fork_and_wait())                                                                             \
    C(vfork_and_wait())                                                                            \
    C(failing_exec())                                                                              \
    C(close(fd))

static int ioctl_of(int of)
{
    int left;
    extern int ioctl(int, unsigned long, ...);
    return ioctl(of, 0x541b /* FIONREAD */, &left);
}

static int rewind_of(FILE *of)
{
    rewind(of);
    return 0;
}

/* Enough for several chunks of records, and a section if memory is small. */
static int many_writes(void)
{
    for (int i = 0; i < 20000; i++)
        pwrite(fd, bytes, 8, 0);
    return 0;
}

static int many_files(void)
{
    for (int i = 0; i < 300; i++) {
        char name[16] = "file.";
        name[5] = (char)('0' + i / 100);
        name[6] = (char)('0' + i / 10 % 10);
        name[7] = (char)('0' + i % 10);
        int made = open(name, O_CREAT | O_RDWR, 0600);
        write(made, bytes, 8);
        close(made);
    }
    return 0;
}

static int fork_and_wait(void)
{
    pid_t child = fork();
    if (child == 0) {
        write(fd, bytes, 8);
        _exit(0);
    }
    return waitpid(child, &number, 0);
}

static int vfork_and_wait(void)
{
    pid_t child = vfork();
    if (child == 0)
        _exit(0);
    return waitpid(child, &number, 0);
}

static int failing_exec(void)
{
    char *const arguments[] = {"none", NULL}, *const environment[] = {"A=1", NULL};
    execve("/none", arguments, environ);
    return execve("/none", arguments, environment);
}

/* ---- Calls that end a process ---- */

#define ENDS(E)                                                                                    \
    E(_exit(0))                                                                                    \
    E(exit(0))                                                                                     \
    E(quick_exit(0))                                                                               \
    E(exec_true())

static void exec_true(void)
{
    char *const arguments[] = {"true", NULL};
    execve("/bin/true", arguments, environ);
}

static int wanted;

/* All calls are in one function, whose frame is the same for all. */
static void one_of_all(void)
{
    int i = 0;
#define C(call)                                                                                    \
    if (i++ == wanted)                                                                             \
        (void)!(intptr_t)(call);
    CALLS(C)
#undef C
}

static void one_of_ends(void)
{
    int i = 0;
#define E(call)                                                                                    \
    if (i++ == wanted)                                                                             \
        call;
    ENDS(E)
#undef E
}

static void measure_end(const char *name)
{
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 1000; i++)
            pwrite(fd, bytes, 8, 0);
        measure(name, one_of_ends);
    }
    waitpid(child, &number, 0);
    long i = 0;
    while (i < SIZE && stack[i] == PAINT)
        i++;
    dprintf(STDERR_FILENO, "%ld %s\n", SIZE - i, name);
}

int main(void)
{
    static const char *const names[] = {
#define C(call) #call,
        CALLS(C)
#undef C
    };
    static const char *const ends[] = {
#define E(call) #call,
        ENDS(E)
#undef E
    };
    take_stack(MAP_PRIVATE);
    for (int round = 0; round < 2; round++)
        for (wanted = 0; wanted < (int)(sizeof names / sizeof *names); wanted++)
            measure(names[wanted], one_of_all);
    fd = open("file", O_CREAT | O_RDWR, 0600);
    take_stack(MAP_SHARED); /* the stack of children is visible here */
    for (wanted = 0; wanted < (int)(sizeof ends / sizeof *ends); wanted++)
        measure_end(ends[wanted]);
    _exit(0); /* streams were closed to free descriptors */
}
