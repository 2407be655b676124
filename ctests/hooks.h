/*
 * hooks.h - for programs compiled with -finstrument-functions: the number of calls that the library
 * has recorded for their functions.
 */
#ifndef CTESTS_HOOKS_H
#define CTESTS_HOOKS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "check.h"

#define PLAIN __attribute__((no_instrument_function, noinline, unused))

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

PLAIN static int hooks_program_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
    (void)size;
    *(uintptr_t *)bias = info->dlpi_addr;
    return 1; /* the program is the first module */
}

/* Return the region name of the function at ADDRESS in this program. */
PLAIN static const char *hooks_name(uintptr_t address)
{
    static __thread char text[4200];
    char path[4096];
    uintptr_t bias = 0;
    dl_iterate_phdr(hooks_program_bias, &bias);
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    snprintf(text, sizeof text, "%s+0x%llx", strrchr(path, '/') + 1,
             (unsigned long long)(address - bias));
    return text;
}

/* Return the calls on thread T (-1: this one), or 0. */
PLAIN static int hooks_count_at(uintptr_t address, int t)
{
    int count = 0;
    GPTLget_count(hooks_name(address), t, &count);
    return count;
}

#define hooks_count(function) hooks_count_at((uintptr_t)(function), -1)

/* Count the lines of the text report that contain TEXT; sum the numbers at their start. */
PLAIN static int hooks_lines(const char *text, long *sum)
{
    char line[4096];
    int lines = 0;
    *sum = 0;
    CHECK_OK(GPTLpr_file("reported"));
    FILE *f = fopen("reported", "r");
    CHECK(f);
    while (fgets(line, sizeof line, f))
        if (strstr(line, text)) {
            lines++;
            *sum += strtol(line, NULL, 10);
        }
    fclose(f);
    return lines;
}

/* Return a number from the text report, from the line that contains TEXT, or 0. */
PLAIN static long hooks_reported(const char *text)
{
    long sum;
    hooks_lines(text, &sum);
    return sum;
}

#endif
