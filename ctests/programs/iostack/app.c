/* app.c - difficult cases for a probe inserter; the program prints the same with probes. */
#include <stdio.h>
#include <stdlib.h>

#define WRITE_TWICE(x) (write_it(x) + write_it(x)) /* write_it( in a macro is not a call */
#define LONG_MACRO(x)                                                                              \
    do {                                                                                           \
        write_it(x);                                                                               \
    } while (0)

static int total;

/* write_it(1) in a comment, and "write_it(2)" in a text */
static int write_it(int n)
{
    return total += n;
}

static void nothing(int n)
{
    total += n;
}

/* The old style of parameters. */
static int old_style(a, b)
int a;
char *b;
{
    int c = write_it(a);
    return c + (b != NULL);
}

struct table {
    int (*write_it)(int);
};

static int through(struct table *t)
{
    return t->write_it(5);
}

static int nested(int n)
{
    return write_it(write_it(n));
}

static int in_conditions(int n)
{
    int i;
    if (write_it(n) > 3)
        nothing(1);
    else
        nothing(2);
    for (i = 0; i < 3 && write_it(i) < 1000; i++)
        nothing(i);
    while (write_it(1) < 40)
        ;
    n > 5 ? nothing(1) : nothing(2);
    switch (n) {
    case 1:
        write_it(7);
        break;
    default:
        if (n)
            write_it(8);
    }
    do
        write_it(9);
    while (total < 60);
    return n ? write_it(3) : 0;
}

#if 0
static int write_other(int n)
{
#else
static int write_other(int n)
{
#endif
const char *text = "} write_it(3); {";
char brace = '}';
if (brace == '{')
    return 0;
return (int)sizeof(char) + write_it(n) + (text[0] == '}');
}

static void returns_in_void(int n)
{
    if (n > 2)
        return nothing(n);
    nothing(3);
}

int main(void)
{
    struct table t = {write_it};
    int r = WRITE_TWICE(2);
    LONG_MACRO(1);
    r += old_style(4, "x") + through(&t) + nested(3) + in_conditions(6) + in_conditions(1);
    r += write_other(4);
    returns_in_void(9);
    printf("%d %d line %d\n", r, total, __LINE__);
    return EXIT_SUCCESS;
}
