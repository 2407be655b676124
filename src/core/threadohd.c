/*
 * threadohd.c - regions that show a program the cost of starting and joining its threads. Each is
 * an ordinary region: `outer` around a loop of several threads, `inner` around each thread's part.
 */
#include "gptl.h"

int GPTLstart_threadohd_outer(void)
{
    return GPTLstart("threadohd_outer");
}

int GPTLstart_threadohd_inner(void)
{
    return GPTLstart("threadohd_inner");
}

int GPTLstop_threadohd_outer(void)
{
    return GPTLstop("threadohd_outer");
}

int GPTLstop_threadohd_inner(void)
{
    return GPTLstop("threadohd_inner");
}
