/*
 * abi.c - options of programs that were compiled with the header of the climate models' GPTL (E3SM,
 * CESM, ParallelIO) and are linked with this library.
 *
 * The numbers 27, 28, 50, 51 and 52 of that header identify other options than in GPTL 8, or none
 * there. Programs compiled with gptl.h, and users of the Fortran module, call GPTLsetoption by a
 * separate symbol (plain.h), and gptl.inc has other numbers, so these need no guess. An object that
 * calls the plain symbol with one of the five numbers was compiled with the header of GPTL 8, or
 * with the climate models' header. The second case is recognized by the option `abi`, by number 28,
 * or by a call of a function that GPTL 8 does not have.
 */
#include "config.h"

#include "core/abi.h"

#include <stdatomic.h>
#include <stddef.h>

#include "gptl.h"

#include "core/options.h"
#include "core/state.h"

enum { ABI_AUTO, ABI_GPTL8, ABI_CESM }; /* values of the option `abi` */

/*
 * Number in the climate models' header, number in gptl.h, and the option that has the first number
 * in gptl.h.
 */
static const struct translation {
    int theirs, ours;
    const char *otherwise;
} translations[] = {
    {27, GPTLprofile_ovhd, "dopr_memusage"}, {28, GPTLdopr_quotes, ""},
    {50, GPTLprint_mode, "tablesize"},       {51, GPTLtablesize, "maxthreads"},
    {52, GPTLmaxthreads, "onlyprint_rank0"},
};

/* Number in gptl.inc (header2fortran has the same), number in gptl.h. */
static const int include_numbers[][2] = {
    {56, GPTLdopr_memusage},
    {57, GPTLtablesize},
    {58, GPTLmaxthreads},
    {59, GPTLonlyprint_rank0},
};

/* Evidence from the calls of this process; it stays valid after GPTLfinalize. */
static bool numbers_are_theirs, reads_their_layout;
/* a number was set whose meaning in the climate models' header would differ */
static const struct translation *taken;
/* bits: a function of the climate models' GPTL has determined numbers, layout */
static _Atomic unsigned seen;

static const struct translation *translation_of(int number)
{
    for (size_t i = 0; i < sizeof translations / sizeof *translations; i++)
        if (translations[i].theirs == number)
            return &translations[i];
    return NULL;
}

static void choose_their_layout(void)
{
    reads_their_layout = true;
    gptl_options_suggest_layout(GPTL_LAYOUT_CESM);
}

void gptl_abi_choose_layout(void)
{
    if (reads_their_layout || gptl_core_option(GPTL_OPT_ABI) == ABI_CESM)
        gptl_options_suggest_layout(GPTL_LAYOUT_CESM);
}

/*
 * Use the climate models' numbers from now on; warn if a number was taken for another option
 * before.
 */
static void recognize(const char *function)
{
    if (numbers_are_theirs || gptl_core_option(GPTL_OPT_ABI) != ABI_AUTO)
        return;
    numbers_are_theirs = true;
    if (taken)
        gptl_core_warn_job(function,
                           "only the climate models' GPTL has this call, but option %d was taken "
                           "as %s before it: set GPTL_OPTIONS=abi=cesm if the program was compiled "
                           "with their header, or abi=gptl8",
                           taken->theirs, taken->otherwise);
}

void gptl_core_saw_fork(const char *function, bool scripts)
{
    enum { NUMBERS = 1, LAYOUT = 2 };
    unsigned told = scripts ? NUMBERS | LAYOUT : NUMBERS;
    if ((atomic_load_explicit(&seen, memory_order_relaxed) & told) == told)
        return; /* a program may call such a function often */
    gptl_lock();
    gptl_state_load();
    recognize(function);
    if (scripts)
        choose_their_layout();
    atomic_fetch_or_explicit(&seen, told, memory_order_relaxed);
    gptl_unlock();
}

int gptl_abi_option(int number)
{
    for (size_t i = 0; i < sizeof include_numbers / sizeof *include_numbers; i++)
        if (include_numbers[i][0] == number)
            return include_numbers[i][1];
    if (number == GPTLdopr_quotes || number == GPTLprint_mode)
        choose_their_layout();
    return number;
}

int gptl_abi_plain_option(const char *function, int number)
{
    const struct translation *translation = translation_of(number);
    long long abi = gptl_core_option(GPTL_OPT_ABI);
    if (!translation || abi == ABI_GPTL8)
        return gptl_abi_option(number);
    if (translation->ours == GPTLdopr_quotes) /* GPTL 8 lacks the number */
        recognize(function);
    if (abi == ABI_CESM || numbers_are_theirs)
        return gptl_abi_option(translation->ours);
    /* Both meanings of 51 are hints without effect. */
    if (translation->ours != GPTLtablesize && !taken)
        taken = translation;
    return number;
}

const char *gptl_abi_remedy(int number)
{
    if (!translation_of(number) || numbers_are_theirs || gptl_core_option(GPTL_OPT_ABI) != ABI_AUTO)
        return "";
    return "; if the program was compiled with the header of the climate models' GPTL, set "
           "GPTL_OPTIONS=abi=cesm";
}
