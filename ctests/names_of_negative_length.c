/* A negative length is an error, also for a known or open name. */
#include <limits.h>

#include "check.h"

static void negative_length(void)
{
    static const char *const names[] = {"neg", "negative", "negative_with_many_characters"};
    for (int i = 0; i < 3; i++) {
        int handle = 0, n = (int)strlen(names[i]);
        CHECK_OK(GPTLstartf(names[i], n));
        CHECK_OK(GPTLstopf(names[i], n));
        CHECK_OK(GPTLinit_handle(names[i], &handle));
        CHECK_ERROR(GPTLstartf(names[i], -1));
        CHECK_ERROR(GPTLstartf(names[i], INT_MIN));
        CHECK_ERROR(GPTLstartf_handle(names[i], -1, &handle));
        CHECK_ERROR(GPTLstartf_handle(names[i], -n, &handle));
        CHECK_OK(GPTLstartf(names[i], n));
        CHECK_ERROR(GPTLstopf(names[i], -1));
        CHECK_ERROR(GPTLstopf(names[i], -n));
        CHECK_ERROR(GPTLstopf_handle(names[i], -1, &handle));
        CHECK_OK(GPTLstopf(names[i], n));
        CHECK_INT(check_count(names[i], -1), 2);
    }
}

int main(void)
{
    CHECK_OK(GPTLinitialize());
    negative_length();
    CHECK_OK(GPTLfinalize());
    return 0;
}
