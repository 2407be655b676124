/*
 * footprint.c - estimates the number of distinct lines in bounded memory: adaptive sampling (P.
 * Flajolet, "On adaptive sampling", Computing 43, 1990). The sample keeps lines whose hash ends in
 * enough zero bits to fit a small table; each further zero bit halves the sampling rate.
 */
#include "memsig.h"

#include "pub_tool_mallocfree.h"

enum { FIRST_ROOM = 16, LAST_ROOM = 512, MOST = (1U << 31) - 1 /* of a mask */ };

static void insert(UInt *hashes, UInt room, UInt hash)
{
    UInt i = (hash * 0x9e3779b1u) >> 7 & (room - 1);
    while (hashes[i] != 0)
        i = (i + 1) & (room - 1);
    hashes[i] = hash;
}

static Bool has(const struct footprint *f, UInt hash)
{
    UInt i = (hash * 0x9e3779b1u) >> 7 & (f->room - 1);
    while (f->hashes[i] != 0 && f->hashes[i] != hash)
        i = (i + 1) & (f->room - 1);
    return f->hashes[i] == hash;
}

/* Rebuild the table: double it up to the limit, then halve the sampling rate. */
static void make_room(struct footprint *f)
{
    const UInt *old = f->hashes;
    UInt old_room = f->room;
    if (f->room < LAST_ROOM)
        f->room = f->room ? 2 * f->room : FIRST_ROOM;
    else
        f->mask = 2 * f->mask + 1;
    f->hashes = VG_(calloc)("memsig.footprint", f->room, sizeof *f->hashes);
    f->used = 0;
    for (UInt i = 0; i < old_room; i++)
        if (old[i] != 0 && (old[i] & f->mask) == 0) {
            insert(f->hashes, f->room, old[i]);
            f->used++;
        }
    VG_(free)((void *)old);
}

UInt memsig_line_hash(Addr line)
{
    UInt hash = (UInt)((line * 0x9e3779b97f4a7c15ULL ^ line >> 17) * 0xbf58476d1ce4e5b9ULL >> 32);
    return hash ? hash : 1;
}

void memsig_keep_line(struct footprint *f, UInt hash)
{
    if (f->room > 0 && has(f, hash))
        return;
    while (f->mask < MOST && 4 * (f->used + 1) > 3 * f->room)
        make_room(f);
    if ((hash & f->mask) == 0) {
        insert(f->hashes, f->room, hash);
        f->used++;
    }
}

ULong memsig_touched(const struct footprint *f)
{
    return (ULong)f->used * ((ULong)f->mask + 1);
}
