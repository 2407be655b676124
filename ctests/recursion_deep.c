/* Recursion 100,000 deep, of one region and of three in turn: each call is counted once. */
#include "check.h"

enum { DEPTH = 100000 };

int main(void)
{
    static const char *const names[] = {"a", "b", "c"};
    CHECK_OK(GPTLinitialize());
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < DEPTH; i++)
            CHECK_OK(GPTLstart("self"));
        for (int i = 0; i < DEPTH; i++)
            CHECK_OK(GPTLstop("self"));
        for (int i = 0; i < DEPTH; i++)
            CHECK_OK(GPTLstart(names[i % 3]));
        for (int i = DEPTH - 1; i >= 0; i--)
            CHECK_OK(GPTLstop(names[i % 3]));
    }
    CHECK_ERROR(GPTLstop("self"));
    CHECK_INT(check_count("self", -1), 2 * DEPTH);
    for (int i = 0; i < 3; i++)
        CHECK_INT(check_count(names[i], -1), 2 * (DEPTH / 3 + (i < DEPTH % 3)));
    int n = 0;
    CHECK_OK(GPTLget_nregions(-1, &n));
    CHECK_INT(n, 4);
    CHECK(check_seconds("a", -1) >= check_seconds("b", -1));
    CHECK(check_seconds("b", -1) >= check_seconds("c", -1));
    CHECK_OK(GPTLfinalize());
    return 0;
}
