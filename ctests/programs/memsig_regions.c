/* memsig_regions.c - regions in all forms that C has, on several threads. */
#include <pthread.h>
#include <string.h>

#include "gptl.h"

static volatile double sink[64];

__attribute__((noinline)) static void work(int n)
{
    for (int i = 0; i < n; i++)
        sink[i & 63] = sink[(i + 7) & 63] * 0.5;
}

static void again(int depth)
{
    GPTLstart("again");
    work(10);
    if (depth > 0) {
        GPTLstart("between");
        again(depth - 1);
        GPTLstop("between");
    }
    GPTLstop("again");
}

static void *thread(void *name)
{
    GPTLstart("thread");
    for (int i = 0; i < 1000; i++) {
        GPTLstart(name);
        work(100);
        GPTLstop(name);
    }
    GPTLstop("thread");
    return NULL;
}

int main(void)
{
    static int handle;
    static char one[] = "one", two[] = "two";
    pthread_t threads[2];
    GPTLinitialize();
    work(1000);
    GPTLstart("main");
    for (int i = 0; i < 5; i++) {
        GPTLstart_handle("by handle", &handle);
        work(100);
        GPTLstartf("of a length, and more", 11);
        work(50);
        GPTLstopf("of a length, and more", 11);
        GPTLstop_handle("by handle", &handle);
    }
    again(4);
    GPTLstart("outer");
    GPTLstart("inner");
    work(10);
    GPTLstop("outer");
    work(20);
    GPTLstart("in inner");
    GPTLstop("in inner");
    GPTLstart("outer");
    GPTLstop("outer");
    GPTLstop("inner");
    GPTLstart("left");
    GPTLstart("never stopped");
    GPTLstop("left");
    GPTLstop("main");
    GPTLstart("a \"name\"\n\xff; \\x41");
    GPTLstop("a \"name\"\n\xff; \\x41");
    pthread_create(&threads[0], NULL, thread, one);
    pthread_create(&threads[1], NULL, thread, two);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    GPTLfinalize();
    return 0;
}
