/*
 * branches.c - simulates branch prediction with a hashed perceptron: D. Tarjan and K. Skadron,
 * "Merging Path and Gshare Indexing in Perceptron Branch Prediction". Each table holds weights
 * selected by a longer history of branches than the previous table; the sign of their sum is the
 * prediction. Its accuracy is similar to a processor's.
 */
#include "branches.h"

#include "pub_tool_libcbase.h"

static const UInt BASE = 0x2c1b3c6du, MIXED = 0x9e3779b1u;

enum {
    ENOUGH = 64, /* executions of a branch before its predictions count */
    TABLES = 8,
    BITS = 12, /* bits of a table index */
    PLACES = 1 << BITS,
    MOST = 300, /* longest history: an EPYC predicts the exit of loops with this many iterations */
    HISTORY = 4096, /* outcomes, most recent first, kept before the buffer is moved */
    STRONGEST = 63, /* limit of a weight */
    SURE = 40       /* a correct prediction with a larger sum does not train */
};

/* History length of each table, growing geometrically to cover short and long patterns. */
static const UInt before[TABLES] = {0, 3, 7, 15, 31, 64, 140, MOST};

static Char votes[TABLES][PLACES]; /* positive: taken */
/* Hash of the outcomes in a table's history: a polynomial modulo 2^32. */
static UInt history[TABLES], highest[TABLES]; /* HIGHEST: coefficient of the oldest outcome */
static UChar outcomes[HISTORY + MOST + 1];
static UInt newest = HISTORY;
static UInt unknown = MOST;   /* outcomes missing from the longest history */
static UChar learned[PLACES]; /* executions per branch, up to ENOUGH */

void memsig_missed_branches(void)
{
    unknown = MOST;
}

void memsig_begin_guessing(void)
{
    for (UInt i = 0; i < TABLES; i++) {
        highest[i] = 1;
        for (UInt n = 1; n < before[i]; n++)
            highest[i] *= BASE;
    }
}

UInt memsig_branch_number(Addr address)
{
    return (UInt)(address * 0x9e3779b97f4a7c15UL >> 40) % PLACES;
}

static inline UInt place_of(UInt number, UInt table)
{
    return ((history[table] ^ number) * MIXED) >> (32 - BITS);
}

static Int guess(UInt number)
{
    Int sum = 0;
#pragma GCC unroll 8
    for (UInt i = 0; i < TABLES; i++)
        sum += votes[i][place_of(number, i)];
    return sum;
}

static void learn(UInt number, Bool taken)
{
    for (UInt i = 0; i < TABLES; i++) {
        Char *vote = &votes[i][place_of(number, i)];
        if (taken ? *vote < STRONGEST : *vote > -STRONGEST)
            *vote += taken ? 1 : -1;
    }
}

static void remember(Bool taken)
{
    if (newest == 0) {
        VG_(memmove)(outcomes + HISTORY, outcomes, MOST + 1);
        newest = HISTORY;
    }
    outcomes[--newest] = taken;
#pragma GCC unroll 8
    for (UInt i = 1; i < TABLES; i++)
        history[i] = (history[i] - outcomes[newest + before[i]] * highest[i]) * BASE + taken;
}

Bool memsig_branch(const struct block *block, UInt number, Bool taken)
{
    Int sum = guess(number);
    Bool right = (sum > 0) == taken, counts = unknown == 0 && learned[number] == ENOUGH;
    if (learned[number] < ENOUGH)
        learned[number]++;
    block->row->guesses += counts;
    block->row->wrong_guesses += counts && !right;
    unknown -= unknown > 0;
    if (!right || (sum < SURE && sum > -SURE))
        learn(number, taken);
    remember(taken);
    return counts && !right;
}

ULong memsig_guessed_wrong(const struct row *row, ULong branches)
{
    double guesses = (double)row->guesses, wrong = (double)row->wrong_guesses;
    for (const struct row *other = row->block->rows; other && row->guesses == 0;
         other = other->next) {
        guesses += (double)other->guesses;
        wrong += (double)other->wrong_guesses;
    }
    return guesses > 0 ? (ULong)((double)branches * wrong / guesses) : 0;
}
