/*
 * Names given by their length: trailing blanks do not count, a NUL ends them, and they are the same
 * regions as with GPTLstart.
 */
#include "check.h"

static void pair(const char *name, int length)
{
    CHECK_OK(GPTLstartf(name, length));
    CHECK_OK(GPTLstopf(name, length));
}

static void trailing_blanks(void)
{
    for (int i = 0; i < 3; i++) {
        pair("solve", 5);
        pair("solve     ", 10);
        pair("solve\0rest", 10);
        pair("solve  \0  ", 10);
        pair("solver", 5);
        CHECK_OK(GPTLstart("solve"));
        CHECK_OK(GPTLstopf("solve   ", 8));
        CHECK_OK(GPTLstartf("solve   ", 8));
        CHECK_OK(GPTLstop("solve"));
        CHECK_OK(GPTLstartstop_valsf("solve   ", 8, 0, 1));
    }
    CHECK_INT(check_count("solve", -1), 24);
    pair("  solve ", 8); /* leading blanks count */
    pair("sol ve", 6);
    CHECK_INT(check_count("solve", -1), 24);
    CHECK_INT(check_count("  solve", -1), 1);
    CHECK_INT(check_count("sol ve", -1), 1);
}

static void nothing_left(void)
{
    for (int i = 0; i < 3; i++) {
        pair("", 0);
        pair("x", 0);
        pair("     ", 5);
        pair("\0xyz", 4);
        CHECK_OK(GPTLstartf("   ", 3));
        CHECK_OK(GPTLstop("(empty)"));
        CHECK_OK(GPTLstart(""));
        CHECK_OK(GPTLstopf(" ", 1));
    }
    CHECK_INT(check_count("(empty)", -1), 18);
}

static void handles(void)
{
    int handle = 0, same = 0;
    CHECK_OK(GPTLstartf_handle("field  ", 7, &handle));
    CHECK_OK(GPTLstopf_handle("field  ", 7, &handle));
    CHECK(handle > 0);
    CHECK_OK(GPTLinit_handle("field", &same));
    CHECK_INT(same, handle);
    for (int i = 0; i < 3; i++) {
        CHECK_OK(GPTLstartf_handle("field ", 6, &handle));
        CHECK_OK(GPTLstop_handle("field", &handle));
        CHECK_OK(GPTLstart_handle("field", &handle));
        CHECK_OK(GPTLstopf("field   ", 8));
    }
    CHECK_INT(check_count("field", -1), 7);
    CHECK_ERROR(GPTLstartf_handle("fields", 6, &handle));
    CHECK_INT(handle, same);
}

int main(void)
{
    CHECK_OK(GPTLinitialize());
    trailing_blanks();
    nothing_left();
    handles();
    CHECK_OK(GPTLfinalize());
    return 0;
}
