/*
 * A name that ends with the last byte of mapped memory: no byte after it is read, even if a longer
 * one was known at the same address, or under the same parent.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

static char *page; /* the next page is not mapped */
static size_t size;

/* Place NAME with its NUL at the very end of the page. */
static char *at_end(const char *name)
{
    size_t n = strlen(name) + 1;
    return memcpy(page + size - n, name, n);
}

/* Place LENGTH bytes of NAME without NUL at the very end. */
static char *padded_at_end(const char *name, size_t length)
{
    char *at = page + size - length;
    memset(at, ' ', length);
    memcpy(at, name, strlen(name) < length ? strlen(name) : length);
    return at;
}

static void pairs(const char *name)
{
    int handle = 0;
    const char *at = at_end(name);
    int n = (int)strlen(name);
    for (int i = 0; i < 3; i++) {
        CHECK_OK(GPTLstart(at));
        CHECK_OK(GPTLstop(at));
        CHECK_OK(GPTLstart_handle(at, &handle));
        CHECK_OK(GPTLstop_handle(at, &handle));
        CHECK_OK(GPTLstartf(at, n));
        CHECK_OK(GPTLstopf(at, n));
        CHECK_OK(GPTLstartf_handle(at, n, &handle));
        CHECK_OK(GPTLstopf_handle(at, n, &handle));
    }
    CHECK_OK(GPTLstartstop_val(at, 0));
    for (int length = n ? n : 1; length <= n + 20; length += 5) {
        const char *padded = padded_at_end(name, (size_t)length);
        for (int i = 0; i < 2; i++) {
            CHECK_OK(GPTLstartf(padded, length));
            CHECK_OK(GPTLstopf(padded, length));
        }
        CHECK_OK(GPTLstartstop_valsf(padded, length, 0, 1));
    }
}

/*
 * A long name at the place, then shorter ones that start there, closer and closer to the end of the
 * page.
 */
static void shrinking(void)
{
    char text[80];
    memset(text, 'q', sizeof text);
    for (int n = 64; n >= 0; n--) {
        text[n] = '\0';
        const char *here = at_end(text);
        CHECK_OK(GPTLstart(here));
        CHECK_OK(GPTLstop(here));
        for (int shorter = n - 1; shorter >= 0 && shorter > n - 20; shorter--) {
            const char *at = at_end(text + n - shorter);
            CHECK_OK(GPTLstart(at));
            CHECK_OK(GPTLstop(at));
        }
    }
}

/* At one address first a long name, followed by free space, and later a short one at the end. */
static void same_address(int longer, int shorter)
{
    char text[2][80];
    memset(text, 'w', sizeof text);
    text[0][longer] = text[1][shorter] = '\0';
    CHECK_OK(mprotect(page + size, size, PROT_READ | PROT_WRITE));
    char *at = page + size - (size_t)shorter - 1;
    strcpy(at, text[0]);
    for (int i = 0; i < 3; i++) {
        CHECK_OK(GPTLstart(at));
        CHECK_OK(GPTLstop(at));
    }
    strcpy(at, text[1]);
    CHECK_OK(mprotect(page + size, size, PROT_NONE));
    int before = check_count(at, -1);
    for (int i = 0; i < 3; i++) {
        CHECK_OK(GPTLstart(at));
        CHECK_OK(GPTLstop(at));
    }
    CHECK_INT(check_count(at, -1), (before < 0 ? 0 : before) + 3);
}

int main(void)
{
    size = (size_t)sysconf(_SC_PAGESIZE);
    page = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED);
    CHECK_OK(mprotect(page + size, size, PROT_NONE));
    CHECK_OK(GPTLinitialize());
    char text[200];
    memset(text, 'n', sizeof text);
    for (int round = 0; round < 2; round++) {
        for (int n = 70; n >= 1; n--) {
            text[n] = '\0';
            pairs(text);
            text[n] = 'n';
        }
        shrinking();
    }
    for (int longer = 1; longer <= 40; longer++)
        for (int shorter = 0; shorter < longer; shorter++)
            same_address(longer, shorter);
    CHECK_OK(GPTLfinalize());
    return 0;
}
