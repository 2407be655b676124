/*
 * Names of any length and content are separate regions: their starts find them, even if others have
 * the same first bytes, and queries return them unchanged.
 */
#include "check.h"

enum { LONGEST = 5000, MOST = 200 };

static char *names[MOST];
static int nnames;

static void add(const char *text, size_t length)
{
    CHECK(nnames < MOST);
    char *name = malloc(length + 1);
    memcpy(name, text, length);
    name[length] = '\0';
    names[nnames++] = name;
}

static void make_names(void)
{
    static const int lengths[] = {1,  2,  3,  4,  5,  7,  8,  9,  15,
                                  16, 17, 31, 32, 33, 63, 64, 65, LONGEST};
    char text[LONGEST];
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        size_t n = (size_t)lengths[i];
        memset(text, 'x', n);
        add(text, n); /* each is a prefix of the next */
        text[n - 1] = 'y';
        add(text, n);
        text[n - 1] = 'x';
        text[0] = 'z';
        if (n > 1)
            add(text, n);
        text[0] = 'x';
        text[n / 2] = '!';
        if (n > 2)
            add(text, n);
    }
    static const char *const others[] = {"\xc3\xa4\xc3\xb6\xc3\xbc",
                                         "\xe6\xb5\x81\xe4\xbd\x93 \xf0\x9f\x8c\x8d", /* UTF-8 */
                                         "\xff\xfe\xfd",
                                         "\xc3",
                                         "cut\xe6\xb5",
                                         "\x80\x80\x80\x80\x80\x80\x80\x80", /* not */
                                         "\xff\x97\x01\xb3\xe2\x8d\xfe\x5a",
                                         "\xff", /* a prefix of the root's name */
                                         "\x01\x02\x1b[31m",
                                         "two\nlines",
                                         "tab\there",
                                         "\r",
                                         "\x7f", /* control characters */
                                         " ",
                                         "  ",
                                         " a",
                                         "a ",
                                         "a  ",
                                         "a/b",
                                         "a;b=\"c\"",
                                         "%s%n%d",
                                         "\\",
                                         "\"",
                                         "<&>",
                                         "0",
                                         "-",
                                         "(other)",
                                         "(paths beyond the memory budget)"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        add(others[i], strlen(others[i]));
}

static void start_all(void)
{
    for (int i = 0; i < nnames; i++) {
        CHECK_OK(GPTLstart(names[i]));
        CHECK_OK(GPTLstop(names[i]));
    }
}

/* Each name has been started CALLS times, and no other regions exist. */
static void check_all(int calls)
{
    int nregions = 0;
    CHECK_OK(GPTLget_nregions(-1, &nregions));
    CHECK_INT(nregions, nnames + 1);
    for (int i = 0; i < nnames; i++)
        CHECK_INT(check_count(names[i], -1), calls);
    for (int i = 0; i < nregions; i++) {
        char name[LONGEST + 1];
        CHECK_OK(GPTLget_regionname(-1, i, name, sizeof name));
        int j = 0;
        while (j < nnames && strcmp(name, names[j]) != 0)
            j++;
        CHECK_THAT(j < nnames || strcmp(name, "(empty)") == 0, "a region \"%s\"", name);
    }
}

int main(void)
{
    static const int clocks[] = {GPTLnanotime,
                                 GPTLclockgettime}; /* the fast path and the slow path */
    make_names();
    for (int clock = 0; clock < 2; clock++) {
        if (GPTLsetutr(clocks[clock]) != 0)
            continue;
        CHECK_OK(GPTLinitialize());
        for (int round = 0; round < 5; round++)
            start_all();
        CHECK_OK(GPTLstart(""));
        CHECK_OK(GPTLstop("(empty)"));
        CHECK_OK(GPTLstart("(empty)"));
        CHECK_OK(GPTLstop(""));
        CHECK_INT(check_count("", -1), 2);
        CHECK_INT(check_count("(empty)", -1), 2);
        check_all(5);

        /* All open at once: each stop finds its own. */
        for (int i = 0; i < nnames; i++)
            CHECK_OK(GPTLstart(names[i]));
        for (int i = nnames - 1; i >= 0; i--)
            CHECK_OK(GPTLstop(names[i]));
        for (int i = 0; i < nnames; i++)
            CHECK_OK(GPTLstart(names[i]));
        for (int i = 0; i < nnames; i++)
            CHECK_OK(GPTLstop(names[i])); /* each crossed */
        check_all(7);
        CHECK_OK(GPTLfinalize());
    }
    CHECK_INT(GPTLnum_errors(), 0);
    return 0;
}
