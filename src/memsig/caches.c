/*
 * caches.c - caches of the machines that are described: sets of lines, of which the one that was
 * used least recently goes. A level is asked for what the one before did not have. Stores are as
 * loads, and what the program's instructions and the system need is left out.
 *
 * Each thread has caches of its own, but for those that cores share.
 */
#include "memsig.h"

#include <emmintrin.h>

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"

struct machine memsig_machines[MEMSIG_MACHINES];
UInt memsig_nmachines, memsig_nfound;
Addr memsig_filter[MEMSIG_FILTER];
UInt memsig_filter_sets = 1, memsig_filter_shift, memsig_filter_line = 1;

enum { LANES = 4, VECTOR_WAYS = 32, PLACE_BITS = 4, HOST_LINE = 64 };

/*
 * A cache and what is in it: sets of tags. The one that was used last comes first; but where a set is
 * ORDERED, tags stay where they are, and a number has their places in that order, from its last four bits
 * on.
 */
struct level {
    UInt *tags;
    ULong *orders;
    ULong mask, sets;
    UInt shift, set_bits, ways;
};
static struct level **levels_of; /* by thread, all machines'; the first one has the shared ones */
static struct level *levels;     /* of the thread that runs */
static ThreadId running;
static Bool has_filter;

/*
 * Each byte of a line that is none. Of a line, a set keeps what is above the bits that name the set,
 * in 32 bits: addresses of programs are not so far apart that two lines would look the same.
 */
enum { NOTHING = 0xff };

/* ---- Machines ------------------------------------------------------------------------------- */

static Bool take_number(const HChar **text, HChar end, ULong most, ULong *to)
{
    HChar *after;
    *to = VG_(strtoull10)(*text, &after);
    if (after == *text || *to > most || (end && *after != end))
        return False;
    *text = end ? after + 1 : after;
    return True;
}

static Bool take_cache(const HChar **text, struct cache *cache)
{
    ULong level, bytes, line, ways, shared;
    if (!take_number(text, '/', 100, &level) || !take_number(text, '/', 1ULL << 40, &bytes) ||
        !take_number(text, '/', 1 << 16, &line) || !take_number(text, '/', 1 << 24, &ways) ||
        !take_number(text, 0, 1, &shared))
        return False;
    if (line < 8 || (line & (line - 1)) != 0 || ways == 0 || bytes / line < ways)
        return False;
    cache->bytes = bytes;
    cache->level = (UInt)level;
    cache->line_bytes = (UInt)line;
    cache->ways = (UInt)ways;
    cache->shared = shared == 1;
    cache->sets = bytes / line / ways;
    return True;
}

Bool memsig_add_machine(const HChar *text)
{
    if (memsig_nmachines == MEMSIG_MACHINES)
        return False;
    struct machine *machine = &memsig_machines[memsig_nmachines];
    machine->first_found = memsig_nfound;
    while (*text != ':') {
        if (machine->ncaches == MEMSIG_LEVELS ||
            !take_cache(&text, &machine->caches[machine->ncaches]))
            return False;
        machine->ncaches++;
        if (*text == ',')
            text++;
        else if (*text != ':')
            return False;
    }
    machine->name = VG_(strdup)("memsig.machine", text + 1);
    memsig_nmachines++;
    memsig_nfound += machine->ncaches;
    return True;
}

/* ---- The filter ----------------------------------------------------------------------------- */

static ULong common_divisor(ULong a, ULong b)
{
    while (b != 0) {
        ULong rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/*
 * A line of the filter is the smallest one of the first levels, a set the largest one. What is in
 * one set of a first level must all be in one set of the filter.
 */
static void make_filter(void)
{
    ULong way = 0;
    UInt smallest = 0, largest = 0;
    for (UInt m = 0; m < memsig_nmachines; m++) {
        const struct cache *first = &memsig_machines[m].caches[0];
        if (memsig_machines[m].ncaches == 0)
            continue;
        way = common_divisor(first->sets * first->line_bytes, way);
        if (smallest == 0 || first->line_bytes < smallest)
            smallest = first->line_bytes;
        if (first->line_bytes > largest)
            largest = first->line_bytes;
    }
    if (way == 0 || way % largest != 0)
        return;
    ULong sets = way / largest;
    sets &= -sets;
    has_filter = True;
    memsig_filter_sets = sets < MEMSIG_FILTER ? (UInt)sets : MEMSIG_FILTER;
    memsig_filter_shift = (UInt)__builtin_ctz(largest);
    memsig_filter_line = smallest;
}

static void empty_filter(void)
{
    VG_(memset)(memsig_filter, NOTHING, sizeof memsig_filter);
}

static void keep_in_filter(Addr address, UInt bytes)
{
    Addr line = address & -(Addr)memsig_filter_line;
    for (; has_filter && line < address + bytes; line += memsig_filter_line)
        memsig_filter[line >> memsig_filter_shift & (memsig_filter_sets - 1)] = line;
}

/* ---- Caches --------------------------------------------------------------------------------- */

static Bool is_ordered(UInt ways)
{
    return ways == 4 || ways == 8 || ways == 12 || ways == 16;
}

static ULong first_order(UInt ways)
{
    return 0xfedcba9876543210ULL & ~0ULL >> (64 - PLACE_BITS * ways);
}

static struct level new_level(const struct cache *cache)
{
    SizeT bytes = cache->sets * cache->ways * sizeof(UInt);
    Bool power = (cache->sets & (cache->sets - 1)) == 0;
    Addr room = (Addr)VG_(malloc)("memsig.cache", bytes + HOST_LINE);
    /* A set of 16 is in one line of the cache that this runs on. */
    UInt *tags = (UInt *)((room + HOST_LINE - 1) & -(Addr)HOST_LINE);
    struct level level = {.tags = tags,
                          .mask = power ? cache->sets - 1 : 0,
                          .sets = cache->sets,
                          .shift = (UInt)__builtin_ctz(cache->line_bytes),
                          .set_bits = (UInt)__builtin_ctzll(cache->sets),
                          .ways = cache->ways};
    VG_(memset)(tags, NOTHING, bytes);
    if (is_ordered(cache->ways)) {
        level.orders = VG_(malloc)("memsig.orders", cache->sets * sizeof *level.orders);
        for (ULong i = 0; i < cache->sets; i++)
            level.orders[i] = first_order(cache->ways);
    }
    return level;
}

static struct level *new_levels(void)
{
    struct level *made = VG_(calloc)("memsig.caches", memsig_nfound + 1, sizeof *made);
    for (UInt m = 0; m < memsig_nmachines; m++)
        for (UInt i = 0; i < memsig_machines[m].ncaches; i++) {
            const struct cache *cache = &memsig_machines[m].caches[i];
            UInt at = memsig_machines[m].first_found + i;
            struct level *shared = &levels_of[0][at];
            if (!cache->shared)
                made[at] = new_level(cache);
            else if (shared->tags)
                made[at] = *shared;
            else
                made[at] = *shared = new_level(cache);
        }
    return made;
}

void memsig_caches_of(ThreadId tid)
{
    if (tid == running)
        return;
    if (!levels_of[tid])
        levels_of[tid] = new_levels();
    running = tid;
    levels = levels_of[tid];
    empty_filter();
}

void memsig_begin_caches(void)
{
    levels_of = VG_(calloc)("memsig.threads", VG_N_THREADS, sizeof *levels_of);
    levels_of[0] = VG_(calloc)("memsig.caches", memsig_nfound + 1, sizeof **levels_of);
    make_filter();
    memsig_caches_of(1);
}

static inline ULong set_number(const struct level *level, Addr address)
{
    ULong line = address >> level->shift;
    return level->mask ? line & level->mask : line % level->sets;
}

/* Inlined in any case: compilers drop calls of a function that does no more than this. */
static inline __attribute__((always_inline)) void fetch_ahead(const struct level *level,
                                                              Addr address)
{
    ULong number = set_number(level, address);
    __builtin_prefetch(level->tags + number * level->ways, 1);
    if (level->orders)
        __builtin_prefetch(level->orders + number, 1);
}

static inline UInt tag_of(const struct level *level, Addr address)
{
    ULong line = address >> level->shift;
    return (UInt)(level->mask ? line >> level->set_bits : line / level->sets);
}

/* Whether TAG is in the set at WAY. It is the one that was used last then. */
static inline Bool look_up_any(UInt *way, UInt ways, UInt tag)
{
    UInt *end = way + ways, before = tag;
    do {
        UInt here = *way;
        *way = before;
        if (here == tag)
            return True;
        before = here;
    } while (++way < end);
    return False;
}

/* From its place 32 - N on: the first N + 1 are zeros, all behind them ones. */
static const Int behind[2 * VECTOR_WAYS] = {[VECTOR_WAYS + 1 ... 2 * VECTOR_WAYS - 1] = -1};

/*
 * The same of up to 32 ways, a multiple of 4, without a branch that depends on where the tag is:
 * such a one is foretold wrongly most of the time. That makes a random access a third faster.
 */
static inline __attribute__((always_inline)) Bool look_up_lanes(UInt *set, UInt ways, UInt tag)
{
    const __m128i wanted = _mm_set1_epi32((Int)tag);
    __m128i *lanes = (__m128i *)set, before = _mm_slli_si128(wanted, 12);
    UInt found = 0;
#pragma GCC unroll 8
    for (UInt i = 0; i < ways / LANES; i++) {
        __m128i same = _mm_cmpeq_epi32(_mm_load_si128(&lanes[i]), wanted);
        found |= (UInt)_mm_movemask_ps(_mm_castsi128_ps(same)) << LANES * i;
    }
    UInt at = found ? (UInt)__builtin_ctz(found) : ways - 1;
#pragma GCC unroll 8
    for (UInt i = 0; i < ways / LANES; i++) {
        __m128i here = _mm_load_si128(&lanes[i]);
        __m128i stays = _mm_loadu_si128((const __m128i *)&behind[VECTOR_WAYS + LANES * i - at]);
        __m128i moved = _mm_or_si128(_mm_slli_si128(here, 4), _mm_srli_si128(before, 12));
        _mm_store_si128(&lanes[i],
                        _mm_or_si128(_mm_and_si128(stays, here), _mm_andnot_si128(stays, moved)));
        before = here;
    }
    return found != 0;
}

/*
 * The same of an ordered set, which takes half the instructions. A place is found in the order as the
 * lowest one that is zero when all are compared with it at once.
 */
static inline __attribute__((always_inline)) Bool look_up_ordered(UInt *set, ULong *order,
                                                                  UInt ways, UInt tag)
{
    const ULong ones = 0x1111111111111111ULL, before = *order;
    const __m128i wanted = _mm_set1_epi32((Int)tag);
    UInt found = 0;
#pragma GCC unroll 4
    for (UInt i = 0; i < ways / LANES; i++) {
        __m128i same = _mm_cmpeq_epi32(_mm_load_si128((const __m128i *)set + i), wanted);
        found |= (UInt)_mm_movemask_ps(_mm_castsi128_ps(same)) << LANES * i;
    }
    if (found == 0) {
        ULong last = before >> PLACE_BITS * (ways - 1);
        *order = (before << PLACE_BITS | last) & ~0ULL >> (64 - PLACE_BITS * ways);
        set[last] = tag;
        return False;
    }
    ULong place = (ULong)__builtin_ctz(found), apart = before ^ place * ones;
    UInt bits = (UInt)__builtin_ctzll((apart - ones) & ~apart & 8 * ones) + 1;
    ULong moved = ~0ULL >> (64 - bits);
    *order = (before & ~moved) | (before << PLACE_BITS & moved) | place;
    return True;
}

/* Loops over a number of ways that the compiler knows are none. */
static inline __attribute__((always_inline)) Bool look_up(const struct level *level, Addr address)
{
    ULong number = set_number(level, address);
    UInt *set = level->tags + number * level->ways, tag = tag_of(level, address);
    if (!level->orders)
        return level->ways % LANES == 0 && level->ways <= VECTOR_WAYS
                   ? look_up_lanes(set, level->ways, tag)
                   : look_up_any(set, level->ways, tag);
    ULong *order = level->orders + number;
    switch (level->ways) {
    case 4:
        return look_up_ordered(set, order, 4, tag);
    case 8:
        return look_up_ordered(set, order, 8, tag);
    case 12:
        return look_up_ordered(set, order, 12, tag);
    default: /* as is_ordered has them */
        return look_up_ordered(set, order, 16, tag);
    }
}

/* How many LEVELS of a machine do not have what is in one of its lines at ADDRESS. */
static inline __attribute__((always_inline)) UInt missed(const struct level *level, UInt ncaches,
                                                         Addr address)
{
    for (UInt n = 0; n < ncaches; n++, level++) {
        if (n > 0 && n + 1 < ncaches)
            fetch_ahead(level + 1, address);
        if (look_up(level, address))
            return n;
    }
    return ncaches;
}

/* Whether LEVEL has the line of ADDRESS, which so is not used. */
static Bool has_line(const struct level *level, Addr address)
{
    const UInt *set = level->tags + set_number(level, address) * level->ways;
    UInt tag = tag_of(level, address);
    for (UInt way = 0; way < level->ways; way++)
        if (set[way] == tag)
            return True;
    return False;
}

/*
 * Whether the first machine's first level has one of the two lines beside that of ADDRESS. Then a strided
 * access that misses goes on with what other instructions have begun: a loop that is unrolled, or that is
 * entered anew in each row, goes through memory line by line though none of its instructions does.
 */
static Bool is_beside(Addr address)
{
    const struct level *first = &levels[memsig_machines[0].first_found];
    Addr line = memsig_machines[0].caches[0].line_bytes;
    return has_line(first, address - line) || has_line(first, address + line);
}

/*
 * Where the lines of an access of KIND are found. They are the ones that were used last then. While the
 * first level is looked at, the set of the second one comes from memory: large caches have more tags than
 * ours holds.
 */
static inline void find(struct row *row, UInt kind, Addr address, UInt bytes)
{
    const Addr end = address + bytes;
    for (UInt m = 0; m < memsig_nmachines; m++)
        if (memsig_machines[m].ncaches > 1)
            fetch_ahead(&levels[memsig_machines[m].first_found + 1], address);
    for (UInt m = 0; m < memsig_nmachines; m++) {
        const struct machine *machine = &memsig_machines[m];
        const struct level *first = &levels[machine->first_found];
        Addr line = machine->caches[0].line_bytes, at = address;
        UInt most = 0;
        do {
            UInt n = missed(first, machine->ncaches, at);
            most = n > most ? n : most;
            at = (at | (line - 1)) + 1;
        } while (at < end && line > 0);
        if (most == 0 || !memsig_counting)
            continue;
        if (m == 0 && memsig_is_strided(kind) && is_beside(address)) {
            row->kinds[kind--]--;
            row->kinds[kind]++;
        }
        row->found[kind * memsig_nfound + machine->first_found + most - 1]++;
    }
    keep_in_filter(address, bytes);
}

void memsig_reference(struct row *row, UInt kind, Addr address, UInt bytes)
{
    find(row, kind, address, bytes);
    UInt hash = memsig_line_hash(address / MEMSIG_TOUCHED_BYTES);
    memsig_touch(&row->footprint, hash);
    if (memsig_is_scattered(kind))
        memsig_touch(&row->scattered, hash);
}

VG_REGPARM(2) void memsig_cached(const struct site *site, Addr address)
{
    find(site->block->row, site->kind, address, site->bytes);
}

VG_REGPARM(2) void memsig_guarded_cached(const struct site *site, Addr address)
{
    site->block->row->counts[site->part]++;
    memsig_cached(site, address);
}
