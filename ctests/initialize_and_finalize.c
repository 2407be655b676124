/*
 * GPTLinitialize and GPTLfinalize nest; after the last GPTLfinalize starts are refused with one
 * warning in all; a thousand measurements need no more memory than a few.
 */
#include <stdio.h>

#include "check.h"

static int mappings(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps);
    int lines = 0;
    for (int c; (c = getc(maps)) != EOF;)
        lines += c == '\n';
    fclose(maps);
    return lines;
}

static void nesting(void)
{
    CHECK_INT(GPTLis_initialized(), 0);
    for (int i = 0; i < 3; i++)
        CHECK_OK(GPTLinitialize());
    CHECK_OK(GPTLstart("x"));
    CHECK_OK(GPTLstop("x"));
    for (int i = 0; i < 2; i++) {
        CHECK_OK(GPTLfinalize());
        CHECK_INT(GPTLis_initialized(), 1);
        CHECK_INT(check_count("x", -1), 1);
    }
    CHECK_OK(GPTLfinalize());
    CHECK_INT(GPTLis_initialized(), 0);
    CHECK_ERROR(GPTLfinalize());
}

static void after_the_end(void)
{
    int warnings = GPTLnum_warn(), handle = 0;
    for (int i = 0; i < 100; i++) {
        CHECK_INT(GPTLstart("x"), -1);
        CHECK_INT(GPTLstop("x"), -1);
        CHECK_INT(GPTLstart_handle("x", &handle), -1);
        CHECK_INT(GPTLstop_handle("x", &handle), -1);
        CHECK_INT(GPTLstartf("x", 1), -1);
        CHECK_INT(GPTLstopf("x", 1), -1);
        CHECK_INT(GPTLstartstop_val("x", 1), -1);
        CHECK_INT(GPTLis_initialized(), 0);
    }
    CHECK_INT(GPTLnum_warn(), warnings + 1);
    CHECK_OK(GPTLinitialize());
    CHECK_ERROR(GPTLstop("x"));
    int n = -1;
    CHECK_OK(GPTLget_nregions(-1, &n));
    CHECK_INT(n, 0);
    CHECK_OK(GPTLfinalize());
}

static void measurement(void)
{
    char name[32];
    CHECK_OK(GPTLsetoption(GPTLtablesize, 4096));
    CHECK_OK(GPTLinitialize());
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "region %d", i);
        CHECK_OK(GPTLstart(name)); /* and all stay open */
    }
    CHECK_OK(GPTLprefix_set("p:"));
    CHECK_OK(GPTLstart("x"));
    CHECK_OK(GPTLmark("m"));
    CHECK_OK(GPTLdisable());
    CHECK_OK(GPTLfinalize());
}

static void a_thousand(void)
{
    float before = 0, after = 0, resident;
    int maps = 0;
    for (int i = 0; i < 1000; i++) {
        measurement();
        if (i == 20) {
            maps = mappings();
            CHECK_OK(GPTLget_procsiz(&before, &resident));
        }
    }
    CHECK_INT(mappings(), maps);
    CHECK_OK(GPTLget_procsiz(&after, &resident));
    CHECK_BETWEEN(after, 0, (double)before + 0.1);
    /* Neither the prefix nor the disabling remains. */
    CHECK_OK(GPTLinitialize());
    CHECK_OK(GPTLstart("y"));
    CHECK_OK(GPTLstop("y"));
    CHECK_INT(check_count("y", -1), 1);
    CHECK_OK(GPTLfinalize());
}

int main(void)
{
    nesting();
    after_the_end();
    a_thousand();
    return 0;
}
