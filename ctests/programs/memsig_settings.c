/* memsig_settings.c - calls that change the set of regions and their names. */
#include "gptl.h"

static void once(const char *name)
{
    GPTLstart(name);
    GPTLstop(name);
}

static void prefixes(void)
{
    GPTLprefix_set("p_");
    GPTLstart("a");
    GPTLstart("b");
    GPTLprefix_unset();
    GPTLstop("b");
    once("c");
    GPTLstop("a");
    GPTLprefix_setf("q_  not this", 4);
    for (int i = 0; i < 3; i++)
        once("a");
    GPTLstartstop_val("given", 1.0);
    GPTLstartstop_vals("many given", 1.0, 7);
    GPTLprefix_unset();
}

/* Stops count while measurement is disabled, except stops of regions started in that time. */
static void disabled(void)
{
    for (int i = 0; i < 4; i++) {
        GPTLstart("open");
        GPTLdisable();
        once("not seen");
        GPTLstart("open");
        GPTLstop("open");
        if (i == 3)
            GPTLstop("open");
        GPTLenable();
        if (i < 3) {
            once("within");
            GPTLstop("open");
        }
    }
}

int main(void)
{
    GPTLinitialize();
    GPTLstart("before the reset");
    once("of no account");
    GPTLreset();
    GPTLstop("before the reset");
    GPTLstart("main");
    once("");
    prefixes();
    disabled();
    GPTLstartstop_valsf("of Fortran, with more", 10, 1.0, 3);
    GPTLstop("main");
    return GPTLpr(0);
}
