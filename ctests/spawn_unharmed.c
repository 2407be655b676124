/* vfork and exec, posix_spawn, system and popen between starts and stops: nothing is disturbed. */
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

extern char **environ;

static void wait_for(pid_t pid, int expected)
{
    int status = -1;
    CHECK(pid > 0);
    CHECK_INT(waitpid(pid, &status, 0), pid);
    CHECK(WIFEXITED(status));
    CHECK_INT(WEXITSTATUS(status), expected);
}

static void all(void)
{
    char *const false_argv[] = {(char *)"sh", (char *)"-c", (char *)"exit 3", NULL};
    pid_t pid = vfork();
    if (pid == 0) {
        execv("/bin/sh", false_argv);
        _exit(9);
    }
    wait_for(pid, 3);
    CHECK_OK(posix_spawn(&pid, "/bin/sh", NULL, NULL, false_argv, environ));
    wait_for(pid, 3);
    CHECK_INT(WEXITSTATUS(system("exit 4")), 4);
    char text[16] = "";
    FILE *f = popen("echo hello", "r");
    CHECK(f && fgets(text, sizeof text, f));
    CHECK_OK(pclose(f));
    CHECK_STRING(text, "hello\n");
}

int main(void)
{
    all(); /* before the library is on */
    CHECK_OK(GPTLstart("outer"));
    for (int i = 0; i < 5; i++) {
        CHECK_OK(GPTLstart("inner"));
        all();
        CHECK_OK(GPTLstop("inner"));
    }
    CHECK_OK(GPTLstop("outer"));
    CHECK_INT(check_count("inner", 0), 5);
    CHECK_INT(check_count("outer", 0), 1);
    CHECK(check_seconds("outer", 0) >= check_seconds("inner", 0));
    CHECK_INT(GPTLnum_errors(), 0);
    CHECK_OK(GPTLfinalize());
    return 0;
}
