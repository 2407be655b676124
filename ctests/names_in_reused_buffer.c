/*
 * One buffer holds one name after another: each call counts under the current content of the
 * buffer, not under the name known at its address.
 */
#include "check.h"

enum { NAMES = 300, ROUNDS = 20 };

static const char in_const_array[] = "in_const_array";

static void in_turn(const char *beginning, int digits)
{
    char buffer[128];
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < NAMES; i++) {
            snprintf(buffer, sizeof buffer, "%s%0*d", beginning, digits, i);
            CHECK_OK(GPTLstart(buffer));
            snprintf(buffer, sizeof buffer, "%s%0*d", beginning, digits, -1);
            CHECK_OK(GPTLstart(buffer));
            CHECK_OK(GPTLstop(buffer));
            snprintf(buffer, sizeof buffer, "%s%0*d", beginning, digits, i);
            CHECK_OK(GPTLstop(buffer));
        }
    for (int i = 0; i < NAMES; i++) {
        snprintf(buffer, sizeof buffer, "%s%0*d", beginning, digits, i);
        CHECK_INT(check_count(buffer, -1), ROUNDS);
    }
    snprintf(buffer, sizeof buffer, "%s%0*d", beginning, digits, -1);
    CHECK_INT(check_count(buffer, -1), ROUNDS * NAMES);
}

/* Changed while it is open: the stop passes another name, which is not open. */
static void changed_while_open(size_t length)
{
    char buffer[128] = "";
    memset(buffer, 'c', length);
    CHECK_OK(GPTLstart(buffer));
    CHECK_OK(GPTLstop(buffer));
    CHECK_OK(GPTLstart(buffer));
    buffer[length - 1] = 'd';
    CHECK_ERROR(GPTLstop(buffer));
    buffer[length - 1] = 'c';
    CHECK_OK(GPTLstop(buffer));
    CHECK_INT(check_count(buffer, -1), 2);
}

int main(void)
{
    CHECK_OK(GPTLinitialize());
    in_turn("", 1);
    in_turn("n", 7); /* 8 to 16 bytes */
    in_turn("0123456", 1);
    in_turn("0123456789abc", 1);
    in_turn("0123456789abcdef", 1);                 /* equal first 16 */
    in_turn("0123456789abcdef0123456789abcdef", 1); /* and 32 */
    in_turn("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", 1); /* and 64 */
    static const size_t lengths[] = {1, 3, 6, 7, 8, 9, 14, 15, 16, 17, 64};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        changed_while_open(lengths[i]);

    /* The same name at three addresses. */
    char copy[] = "in_const_array";
    for (int i = 0; i < 5; i++) {
        CHECK_OK(GPTLstart(in_const_array));
        CHECK_OK(GPTLstop(copy));
        CHECK_OK(GPTLstart(copy));
        CHECK_OK(GPTLstop("in_const_array"));
        CHECK_OK(GPTLstart("in_const_array"));
        CHECK_OK(GPTLstop(in_const_array));
    }
    CHECK_INT(check_count(copy, -1), 15);
    /* Its tail is a separate name. */
    CHECK_OK(GPTLstart(in_const_array + 3));
    CHECK_OK(GPTLstop("const_array"));
    CHECK_INT(check_count("const_array", -1), 1);
    CHECK_INT(check_count("in_const_array", -1), 15);
    CHECK_OK(GPTLfinalize());
    return 0;
}
