/*
 * Programs that restrict their system calls by a filter, like sandboxed decoders: io_confined HOW
 * FILE reads ten bytes of FILE before and ten after. HOW: kill, trap (any other call), errno (all
 * others fail), through syscall(2); strict; child (it makes one); thread (another one reads);
 * refused (a filter that the kernel refuses); notsc (it disables the time-stamp counter, and waits
 * for 0.1 s), notsc_by_syscall, notsc_then_kill.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ALLOW(call)                                                                                \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1),                                         \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static int fd;

static void confine(unsigned otherwise, int by_syscall)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(read),
        ALLOW(write),
        ALLOW(exit),
        ALLOW(exit_group),
        ALLOW(brk),
        ALLOW(lseek),
        ALLOW(futex),
        ALLOW(clone),
        ALLOW(wait4),
        ALLOW(set_robust_list),
        ALLOW(munmap),
        ALLOW(madvise),
        BPF_STMT(BPF_RET | BPF_K, otherwise),
    };
    struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    long result = by_syscall ? syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program)
                             : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    if (result != 0)
        _exit(77);
}

static void disable_counter(int by_syscall)
{
    long result = by_syscall ? syscall(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0)
                             : prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
    if (result != 0)
        _exit(77);
}

static void take(void)
{
    char bytes[10];
    if (read(fd, bytes, sizeof bytes) != sizeof bytes)
        _exit(5);
}

static void *take_in_thread(void *unused)
{
    take();
    (void)unused;
    return NULL;
}

static atomic_int turn;

static void *wait_and_take(void *unused)
{
    while (!turn)
        ;
    return take_in_thread(unused);
}

int main(int argc, char **argv)
{
    static char buffer[64];
    const char *how = argc > 2 ? argv[1] : "";
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    fd = open(argv[2], O_RDONLY);
    take();
    if (strcmp(how, "kill") == 0)
        confine(SECCOMP_RET_KILL_PROCESS, 0);
    else if (strcmp(how, "trap") == 0)
        confine(SECCOMP_RET_TRAP, 1);
    else if (strcmp(how, "errno") == 0)
        confine(SECCOMP_RET_ERRNO | EPERM, 0);
    else if (strcmp(how, "strict") == 0) {
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
            return 77;
    } else if (strncmp(how, "notsc", 5) == 0) {
        disable_counter(strcmp(how, "notsc_by_syscall") == 0);
        if (strcmp(how, "notsc_then_kill") == 0)
            confine(SECCOMP_RET_KILL_PROCESS, 0);
        else
            usleep(100000);
    } else if (strcmp(how, "refused") == 0) {
        struct sock_fprog none = {0, NULL};
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &none) == 0)
            return 9;
    } else if (strcmp(how, "child") == 0) {
        confine(SECCOMP_RET_KILL_PROCESS, 0);
        int status = 0;
        long child = fork();
        if (child == 0) {
            take();
            _exit(0);
        }
        waitpid((pid_t)child, &status, 0);
        if (status != 0)
            return 6;
    } else if (strcmp(how, "thread") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, wait_and_take, NULL);
        confine(SECCOMP_RET_KILL_PROCESS, 0);
        turn = 1;
        take();
        pthread_join(thread, NULL);
    }
    take();
    write(STDOUT_FILENO, "done\n", 5);
    if (strcmp(how, "strict") == 0)
        syscall(SYS_exit, 0);
    return 0;
}
