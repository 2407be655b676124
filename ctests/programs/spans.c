/*
 * spans.c - a region that takes 0.6 s and one that takes almost no time, and each in two threads.
 */
#include <pthread.h>
#include <unistd.h>

#include <gptl.h>

static void *work(void *argument)
{
    GPTLstart("long");
    usleep(600000);
    GPTLstop("long");
    for (int i = 0; i < 3; i++) {
        GPTLstart("short");
        GPTLstop("short");
    }
    return argument;
}

int main(void)
{
    pthread_t thread;
    work(NULL);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
