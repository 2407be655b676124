#include <gptl.h>
#include <signal.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int ends[2];
    sigset_t pending, pipe_only;
    (void)argv;
    if (argc > 1 && (pipe(ends) || close(ends[0]) || dup2(ends[1], 2) != 2))
        return 99;
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    for (int blocked = 0; blocked < 2; blocked++) {
        GPTLstop("nothing");
        GPTLprint_memusage("here");
        GPTLsetoption(99999, 1);
        sigprocmask(SIG_BLOCK, &pipe_only, NULL);
    }
    GPTLstart("a");
    GPTLstop("a");
    sigpending(&pending);
    return sigismember(&pending, SIGPIPE) || sigismember(&pending, SIGXFSZ) ? 5 : 7;
}
