/*
 * empty.c - libbench_empty.so, the floor of disabled.c.
 */
#include "empty.h"

int bench_empty_start(const char *name)
{
    (void)name;
    return 0;
}

int bench_empty_stop(const char *name)
{
    (void)name;
    return 0;
}
