/*
 * abi.c - options of programs that were compiled with the header of the climate models' GPTL (E3SM,
 * CESM, ParallelIO) and are linked with this library.
 *
 * Its numbers 27, 28, 50, 51 and 52 are other options than in GPTL 8, or none. A program is known as
 * theirs by the option `abi`, by number 28, or by a function that GPTL 8 does not have. One that was
 * compiled with our header may call the same functions. Our header has its own numbers, 54 and 55, for
 * two of their options: a call with one of these shows that all numbers are ours. So does a value that
 * their option cannot have.
 */
#include "config.h"

#include "core/abi.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "gptl.h"

#include "core/options.h"
#include "core/state.h"

enum { ABI_AUTO, ABI_GPTL8, ABI_CESM }; /* values of the option */

/* Number in their header, number in ours, and the option that the number is in ours. */
static const struct translation {
    int theirs, ours;
    const char *otherwise;
} translations[] = {
    {27, GPTLprofile_ovhd, "dopr_memusage"}, {28, GPTLdopr_quotes, ""},
    {50, GPTLprint_mode, "tablesize"},       {51, GPTLtablesize, "maxthreads"},
    {52, GPTLmaxthreads, "onlyprint_rank0"},
};

/* Evidence from the calls of this process, which stays the same program after GPTLfinalize. */
static enum { UNKNOWN, OURS, THEIRS } numbers;
static bool reads_their_layout;
static const struct translation *taken; /* set by a number that would be something else in THEIRS */
static _Atomic unsigned seen;           /* bits: a function of theirs has settled numbers, layout */

static const struct translation *translation_of(int number)
{
    for (size_t i = 0; i < sizeof translations / sizeof *translations; i++)
        if (translations[i].theirs == number)
            return &translations[i];
    return NULL;
}

/* Whether VALUE is one of the option in their header. */
static bool is_possible(const struct translation *translation, long long value)
{
    switch (translation->ours) {
    case GPTLprofile_ovhd:
    case GPTLdopr_quotes:
        return value == 0 || value == 1;
    case GPTLprint_mode:
        return value == GPTLprint_write || value == GPTLprint_append;
    default:
        return value >= 1;
    }
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

/* The numbers are theirs from now on; says so if one was taken for another option before. */
static void recognize(const char *function)
{
    if (numbers != UNKNOWN || gptl_core_option(GPTL_OPT_ABI) != ABI_AUTO)
        return;
    numbers = THEIRS;
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

int gptl_abi_option(const char *function, int number, long long value)
{
    const struct translation *translation = translation_of(number);
    long long abi = gptl_core_option(GPTL_OPT_ABI);
    if (number == GPTLdopr_quotes || number == GPTLprint_mode) {
        if (numbers == UNKNOWN)
            numbers = OURS;
        choose_their_layout();
        return number;
    }
    if (!translation || abi == ABI_GPTL8)
        return number;
    if (translation->ours == GPTLdopr_quotes) {
        recognize(function);
        choose_their_layout();
    }
    if (abi == ABI_CESM || (numbers == THEIRS && is_possible(translation, value)))
        return translation->ours;
    /* Both meanings of 51 are hints without effect. */
    if (numbers == UNKNOWN && translation->ours != GPTLtablesize &&
        is_possible(translation, value) && !taken)
        taken = translation;
    return number;
}

const char *gptl_abi_remedy(const char *key, long long value)
{
    if (numbers != UNKNOWN || gptl_core_option(GPTL_OPT_ABI) != ABI_AUTO)
        return "";
    for (size_t i = 0; i < sizeof translations / sizeof *translations; i++)
        if (strcmp(translations[i].otherwise, key) == 0 && is_possible(&translations[i], value))
            return "; if the program was compiled with the header of the climate models' GPTL, set "
                   "GPTL_OPTIONS=abi=cesm";
    return "";
}
