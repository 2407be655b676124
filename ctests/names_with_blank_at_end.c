/*
 * A trailing blank is part of a NUL-terminated name, but not of a name given by its length: also if
 * the former is known, or open.
 */
#include "check.h"

int main(void)
{
    CHECK_OK(GPTLinitialize());
    for (int i = 0; i < 3; i++) {
        CHECK_OK(GPTLstart("solve "));
        CHECK_OK(GPTLstop("solve "));
    }
    for (int i = 0; i < 2; i++) {
        CHECK_OK(GPTLstartf("solve ", 6));
        CHECK_OK(GPTLstopf("solve ", 6));
    }
    CHECK_INT(check_count("solve ", -1), 3);
    CHECK_INT(check_count("solve", -1), 2);
    CHECK_OK(GPTLstart("solve "));
    CHECK_ERROR(GPTLstopf("solve ", 6));
    CHECK_OK(GPTLstop("solve "));
    CHECK_OK(GPTLfinalize());
    return 0;
}
