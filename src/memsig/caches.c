/*
 * caches.c - simulates the caches of the described machines: set-associative with LRU replacement.
 * A level is accessed on a miss of the previous one. Stores behave like loads; instruction fetches
 * and kernel accesses are not simulated.
 *
 * Each thread has private caches, except for the levels shared by cores.
 */
#include "conflicts.h"
#include "memsig.h"
#include "pages.h"

#include <emmintrin.h>

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"

Addr memsig_filter[MEMSIG_FILTER];
UInt memsig_filter_sets = 1, memsig_filter_shift, memsig_filter_line = 1;

enum { LANES = 4, VECTOR_WAYS = 32, PLACE_BITS = 4, FEW_WAYS = 8, SOME_WAYS = 16, HOST_LINE = 64 };

/*
 * A cache and its contents: sets of tags. In plain sets, the most recently used tag comes first. In
 * ordered sets, tags stay in place, and a 64-bit number lists their positions by recency, from its
 * low 4 bits on. An ordered set has 8 or 16 tag positions, independent of its associativity.
 */
struct level {
    UInt *tags;
    ULong *orders; /* NULL: plain sets */
    ULong mask, sets;
    UInt shift, tag_shift, ways, room;
    UInt last;    /* shift to the position of the least recently used tag in an order */
    UInt ncaches; /* valid in the machine's first level: number of its levels */
};
/* levels of all machines by thread; the first entry holds the shared ones */
static struct level **levels_of;
static struct level *levels; /* of the running thread */
static ThreadId running;
static Bool has_filter;

/*
 * Byte pattern of an invalid tag. A tag is the line number above the set bits, cut to 32 bits; the
 * addresses of a program never span enough for two lines to collide.
 */
enum { NOTHING = 0xff };

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
 * Configure the filter. Its lines are as short as the shortest lines of the first levels. Its set
 * index uses the longest lines, because all addresses of a first-level set must map to one filter
 * set.
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

static inline Bool is_in_one_line(Addr address, UInt bytes)
{
    return (address & (memsig_filter_line - 1)) + bytes <= memsig_filter_line;
}

static inline void keep_in_filter(Addr address, UInt bytes)
{
    Addr line = address & -(Addr)memsig_filter_line;
    for (; has_filter && line < address + bytes; line += memsig_filter_line)
        memsig_filter[line >> memsig_filter_shift & (memsig_filter_sets - 1)] = line;
}

/* ---- Caches --------------------------------------------------------------------------------- */

static ULong *new_orders(ULong sets)
{
    ULong *orders = VG_(malloc)("memsig.orders", sets * sizeof *orders);
    for (ULong i = 0; i < sets; i++)
        orders[i] = 0xfedcba9876543210ULL;
    return orders;
}

static struct level new_level(const struct cache *cache)
{
    Bool power = (cache->sets & (cache->sets - 1)) == 0;
    Bool ordered = power && cache->ways <= SOME_WAYS;
    UInt shift = (UInt)__builtin_ctz(cache->line_bytes);
    UInt room = !ordered ? cache->ways : cache->ways <= FEW_WAYS ? FEW_WAYS : SOME_WAYS;
    SizeT bytes = cache->sets * room * sizeof(UInt);
    Addr begin = (Addr)VG_(malloc)("memsig.cache", bytes + HOST_LINE);
    struct level level = {/* a set of 16 tags occupies one cache line of the host */
                          .tags = (UInt *)((begin + HOST_LINE - 1) & -(Addr)HOST_LINE),
                          .orders = ordered ? new_orders(cache->sets) : NULL,
                          .mask = cache->sets - 1,
                          .sets = cache->sets,
                          .shift = shift,
                          .tag_shift = shift + (UInt)__builtin_ctzll(cache->sets),
                          .ways = cache->ways,
                          .room = room,
                          .last = PLACE_BITS * (cache->ways - 1)};
    VG_(memset)(level.tags, NOTHING, bytes);
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
            made[at].ncaches = memsig_machines[m].ncaches;
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
    memsig_begin_conflicts();
    make_filter();
    memsig_caches_of(1);
}

/* Return the set number, for plain and for ordered sets. */
static inline ULong set_number(const struct level *level, Addr address)
{
    ULong line = address >> level->shift;
    return level->orders ? line & level->mask : line % level->sets;
}

static inline UInt tag_of(const struct level *level, Addr address)
{
    return (UInt)(level->orders ? address >> level->tag_shift
                                : (address >> level->shift) / level->sets);
}

/*
 * Prefetch a set. Inlining is forced because compilers remove calls to a function that only
 * prefetches.
 */
static inline __attribute__((always_inline)) void fetch_ahead(const struct level *level,
                                                              Addr address)
{
    ULong number = set_number(level, address);
    __builtin_prefetch(level->tags + number * level->room, 1);
    if (level->orders)
        __builtin_prefetch(level->orders + number, 1);
}

/* Look TAG up in the set at WAY and make it the most recently used. */
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

/* Masks: loading from index 32 - N yields N + 1 zeros followed by ones. */
static const Int behind[2 * VECTOR_WAYS] = {[VECTOR_WAYS + 1 ... 2 * VECTOR_WAYS - 1] = -1};

/*
 * Variant for up to 32 ways, a multiple of 4, without a branch on the tag's position: such a branch
 * is usually mispredicted. A random access becomes a third faster.
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
 * Variant for ordered sets, with a fraction of the instructions. All 4-bit fields of the order are
 * compared with the tag's position at once, and the lowest zero field is the match; the fields
 * before it move up, and the position becomes the first.
 */
static inline __attribute__((always_inline)) Bool look_up_ordered(const struct level *level,
                                                                  UInt room, Addr address)
{
    const ULong ones = 0x1111111111111111ULL, number = address >> level->shift & level->mask;
    const UInt tag = (UInt)(address >> level->tag_shift);
    const __m128i wanted = _mm_set1_epi32((Int)tag);
    ULong *order = level->orders + number, before = *order;
    UInt *set = level->tags + number * room;
    const __m128i *tags = (const __m128i *)set;
    __m128i same =
        _mm_packs_epi32(_mm_cmpeq_epi32(tags[0], wanted), _mm_cmpeq_epi32(tags[1], wanted));
    if (room == SOME_WAYS)
        same = _mm_packs_epi16(same, _mm_packs_epi32(_mm_cmpeq_epi32(tags[2], wanted),
                                                     _mm_cmpeq_epi32(tags[3], wanted)));
    UInt found = (UInt)_mm_movemask_epi8(same);
    ULong place, moved;
    if (found == 0) {
        place = before >> level->last & 15;
        moved = (16ULL << level->last) - 1;
        set[place] = tag;
    } else {
        place = (ULong)__builtin_ctz(found) * room / SOME_WAYS;
        ULong apart = before ^ place * ones, at = (apart - ones) & ~apart & 8 * ones;
        moved = at ^ (at - 1);
    }
    *order = before ^ ((before ^ (before << PLACE_BITS | place)) & moved);
    return found != 0;
}

static __attribute__((noinline)) Bool look_up_others(const struct level *level, Addr address)
{
    UInt *set = level->tags + set_number(level, address) * level->ways;
    return level->ways % LANES == 0 && level->ways <= VECTOR_WAYS
               ? look_up_lanes(set, level->ways, tag_of(level, address))
               : look_up_any(set, level->ways, tag_of(level, address));
}

static inline __attribute__((always_inline)) Bool look_up(const struct level *level, Addr address)
{
    if (!level->orders)
        return look_up_others(level, address);
    return level->room == FEW_WAYS ? look_up_ordered(level, FEW_WAYS, address)
                                   : look_up_ordered(level, SOME_WAYS, address);
}

/*
 * Return the number of levels that miss, of the machine whose first level is LEVEL, for one line at
 * ADDRESS. During each lookup, the set of a later level is prefetched, since the tags of large
 * caches exceed the host's caches.
 */
static inline __attribute__((always_inline)) UInt missed(const struct level *level, Addr address)
{
    const UInt ncaches = level->ncaches;
    for (UInt n = 0; n < ncaches; n++, level++) {
        if (n > 0 && n + 1 < ncaches)
            fetch_ahead(level + 1, address);
        if (look_up(level, address))
            return n;
    }
    return ncaches;
}

/* Return whether LEVEL contains the line of ADDRESS, without updating the LRU order. */
static Bool has_line(const struct level *level, Addr address)
{
    const UInt *set = level->tags + set_number(level, address) * level->room;
    UInt tag = tag_of(level, address);
    for (UInt way = 0; way < level->ways; way++)
        if (set[way] == tag)
            return True;
    return False;
}

/*
 * Return whether the first machine's first level contains a line adjacent to ADDRESS. If so, a
 * strided miss continues a stream started by other instructions: an unrolled loop, or a loop
 * restarted in each row, accesses memory line by line, although none of its instructions does.
 */
static Bool is_beside(Addr address)
{
    const struct level *first = &levels[memsig_machines[0].first_found];
    Addr line = memsig_machines[0].caches[0].line_bytes;
    return has_line(first, address - line) || has_line(first, address + line);
}

/*
 * Return the final kind of an access that misses the first machine's first level; KIND is from its
 * strides. Irregular accesses are most of the misses in programs that have them, and their
 * conflicts with expected lines are coincidental, so they are never conflicts.
 */
static inline UInt kind_of_missed(struct row *row, UInt kind, Bool regular, Addr address)
{
    if (!regular) {
        memsig_other_came(set_number(levels, address));
        return kind;
    }
    UInt others = memsig_came_since((UInt)(address >> levels->shift));
    UInt together = memsig_come_together(set_number(levels, address), others), better = kind;
    if (!memsig_counting || memsig_is_scattered(kind))
        return kind;
    if (others > 0 && memsig_is_regular(kind, MEMSIG_STORE)) {
        better = MEMSIG_STORE_CONFLICT;
        row->noted.conflict_lines += others;
    } else if (together > 0 && memsig_is_regular(kind, MEMSIG_LOAD)) {
        better = MEMSIG_LOAD_CONFLICT;
        row->noted.load_conflict_lines += together;
    } else if (memsig_is_strided(kind) && is_beside(address)) {
        better = kind - 1;
    }
    row->kinds[kind]--;
    row->kinds[better]++;
    return better;
}

/*
 * Return the largest number of missing levels for an access that may span several lines of LINE
 * bytes; *ADDRESS becomes an address in the slowest line.
 */
static __attribute__((noinline)) UInt missed_most(const struct level *level, Addr line,
                                                  Addr *address, Addr end)
{
    UInt most = 0;
    for (Addr at = *address; at < end; at = (at | (line - 1)) + 1) {
        UInt n = missed(level, at);
        if (n > most) {
            most = n;
            *address = at;
        }
    }
    return most;
}

/*
 * Look up an access of KIND in NMACHINES machines and update their caches. Return the levels that
 * lack its lines, for machines with a core.
 */
static inline __attribute__((always_inline)) ULong find_in(UInt nmachines, struct row *row,
                                                           UInt kind, Bool regular, Addr address,
                                                           UInt bytes)
{
    const Bool one = is_in_one_line(address, bytes);
    ULong missing = 0;
    for (UInt m = 0; m < nmachines; m++) {
        const struct machine *machine = &memsig_machines[m];
        const struct level *level = levels + machine->first_found;
        Addr slowest = address;
        UInt most = one ? missed(level, address)
                        : missed_most(level, 1UL << level->shift, &slowest, address + bytes);
        if (most == 0)
            continue;
        if (machine->has_core)
            missing |= (ULong)most << MEMSIG_WAIT_BITS * m;
        if (m == 0 && !memsig_only_caches) {
            kind = kind_of_missed(row, kind, regular, slowest);
            row->noted.new_pages += memsig_counting && memsig_is_new_page(slowest);
        }
        if (memsig_counting)
            row->found[kind * memsig_nfound + machine->first_found + most - 1]++;
    }
    keep_in_filter(address, bytes);
    return missing;
}

/* Usually there is one machine. */
static ULong find(struct row *row, UInt kind, Bool regular, Addr address, UInt bytes)
{
    return memsig_nmachines == 1 ? find_in(1, row, kind, regular, address, bytes)
                                 : find_in(memsig_nmachines, row, kind, regular, address, bytes);
}

/* Count an access that spans two lines of the first cache, which needs two cache accesses. */
static inline void note_split(struct row *row, UInt kind, Addr address, UInt bytes)
{
    const UInt line = memsig_machines[0].caches[0].line_bytes;
    if (is_in_one_line(address, bytes) || memsig_nmachines == 0 || !memsig_counting ||
        (address & (line - 1)) + bytes <= line)
        return;
    if (memsig_is_store(kind))
        row->noted.split_stores++;
    else
        row->noted.split_loads++;
}

ULong memsig_reference(struct row *row, UInt kind, Bool regular, Addr address, UInt bytes)
{
    note_split(row, kind, address, bytes);
    ULong missing = find(row, kind, regular, address, bytes);
    UInt hash = memsig_line_hash(address / MEMSIG_TOUCHED_BYTES);
    memsig_touch(&row->footprint, hash);
    if (memsig_is_scattered(kind))
        memsig_touch(&row->scattered, hash);
    return missing;
}

VG_REGPARM(2) void memsig_cached(const struct site *site, Addr address)
{
    __builtin_prefetch((const void *)address);
    find(site->block->row, site->kind, True, address, site->bytes);
}

VG_REGPARM(2) void memsig_guarded_cached(const struct site *site, Addr address)
{
    site->block->row->counts[site->part]++;
    memsig_cached(site, address);
}
