/*
 * branches.c - which branches a processor would have guessed wrong, by a perceptron: D. Jimenez and C. Lin, "Dynamic
 * Branch Prediction with Perceptrons". Each branch has weights, one for each of the branches before it, by which it
 * says whether this one goes where that one went, or elsewhere. Processors have guessers like that, and better ones.
 */
#include "branches.h"

#include <emmintrin.h>

#include "pub_tool_libcbase.h"

enum {
    BEFORE = 64,      /* branches that a guess depends on */
    NUMBERS = 4096,   /* sets of weights: branches whose addresses are far apart share one */
    HISTORY = 4096,   /* of outcomes, the last one first, before they are moved back */
    FIRST = 10000000, /* blocks in which it guesses, unless these are sampled anyway; then … */
    BURST = 100000,   /* … in bursts of so many, … */
    PART = 16,        /* … one in so many */
    ENOUGH = 64,      /* times that a branch is seen before its guesses count */
    /* A right guess that is surer teaches nothing, as in the paper. */
    SURE = 193 * BEFORE / 100 + 14,
    VECTOR = sizeof(__m128i)
};

UInt memsig_guesses = 1;

/* Weights and outcomes: of a taken branch 0, of another one -1. */
static __m128i weights[NUMBERS][BEFORE / VECTOR];
static Char always[NUMBERS]; /* the weight of what most often was */
static Char outcomes[HISTORY + BEFORE];
static UInt newest = HISTORY;
static UInt unknown = BEFORE;  /* branches until all that a guess depends on are there */
static UChar learned[NUMBERS]; /* branches, up to ENOUGH */

void memsig_guess_or_not(ULong dispatched)
{
    Bool wanted = memsig_samples || dispatched < FIRST || dispatched / BURST % PART == 0;
    if (wanted && !memsig_guesses)
        unknown = BEFORE;
    memsig_guesses = wanted;
}

UInt memsig_branch_number(Addr address)
{
    return (UInt)(address * 0x9e3779b97f4a7c15UL >> 40) % NUMBERS;
}

static __m128i outcomes_before(UInt i)
{
    return _mm_loadu_si128((const __m128i *)(const void *)&outcomes[newest] + i);
}

/* Above 0: it will be taken. */
static Int guess(UInt number)
{
    const __m128i middle = _mm_set1_epi8((char)0x80), none = _mm_setzero_si128();
    __m128i sum = none;
    for (UInt i = 0; i < BEFORE / VECTOR; i++) {
        __m128i other = outcomes_before(i);
        __m128i voice = _mm_subs_epi8(_mm_xor_si128(weights[number][i], other), other);
        sum = _mm_add_epi64(sum, _mm_sad_epu8(_mm_xor_si128(voice, middle), none));
    }
    Int both = _mm_cvtsi128_si32(sum) + _mm_cvtsi128_si32(_mm_srli_si128(sum, VECTOR / 2));
    return both - 0x80 * BEFORE + always[number];
}

static void learn(UInt number, Bool taken)
{
    const __m128i outcome = _mm_set1_epi8(taken ? 0 : -1), one = _mm_set1_epi8(1);
    for (UInt i = 0; i < BEFORE / VECTOR; i++) {
        __m128i other = _mm_xor_si128(outcomes_before(i), outcome);
        __m128i *weight = &weights[number][i];
        *weight = _mm_adds_epi8(*weight, _mm_or_si128(other, one));
    }
    if (taken ? always[number] < 127 : always[number] > -127)
        always[number] += taken ? 1 : -1;
}

static void remember(Bool taken)
{
    if (newest == 0) {
        VG_(memmove)(outcomes + HISTORY, outcomes, BEFORE);
        newest = HISTORY;
    }
    outcomes[--newest] = taken ? 0 : -1;
}

VG_REGPARM(2) void memsig_branch(const struct block *block, HWord number_and_taken)
{
    UInt number = (UInt)(number_and_taken >> 1);
    Bool taken = number_and_taken & 1;
    Int sum = guess(number);
    Bool right = (sum > 0) == taken;
    if (learned[number] < ENOUGH) {
        learned[number]++;
    } else if (unknown == 0) {
        block->row->guesses++;
        block->row->wrong_guesses += !right;
    }
    unknown -= unknown > 0;
    if (!right || (sum < SURE && sum > -SURE))
        learn(number, taken);
    remember(taken);
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
