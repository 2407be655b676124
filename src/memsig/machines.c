/* machines.c - parses the option that describes machines and their caches. */
#include "core.h"
#include "memsig.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

struct machine memsig_machines[MEMSIG_MACHINES];
UInt memsig_nmachines, memsig_nfound;

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
    while (*text != ':' && *text != ';') {
        if (machine->ncaches == MEMSIG_LEVELS ||
            !take_cache(&text, &machine->caches[machine->ncaches]))
            return False;
        machine->ncaches++;
        if (*text == ',')
            text++;
        else if (*text != ':' && *text != ';')
            return False;
    }
    if (machine->ncaches == 0)
        return False;
    machine->has_core = *text == ';';
    if (machine->has_core) {
        text++;
        if (!memsig_add_core(memsig_nmachines, &text) || *text != ':')
            return False;
    }
    machine->name = VG_(strdup)("memsig.machine", text + 1);
    memsig_nmachines++;
    memsig_nfound += machine->ncaches;
    return True;
}
