/*
 * lines.c - source files and lines of addresses.
 *
 * A table built here from the ranges of the compilation units maps addresses to units, because not
 * all compilers write .debug_aranges.
 */
#include "config.h"

#include "symbols/module.h"

#include <stdlib.h>

static bool add_range(struct gptl_elf_lines *lines, size_t *room, uint64_t low, uint64_t high)
{
    if (lines->nranges == *room) {
        size_t more = *room ? 2 * *room : 64;
        struct gptl_elf_range *ranges = realloc(lines->ranges, more * sizeof *ranges);
        if (!ranges)
            return false;
        lines->ranges = ranges;
        *room = more;
    }
    lines->ranges[lines->nranges++] = (struct gptl_elf_range){low, high, lines->nunits};
    return true;
}

/* Add the ranges of a unit, except ranges at address 0: the linker assigns 0 to discarded code. */
static bool add_ranges(const struct gptl_elf *elf, struct gptl_elf_lines *lines, size_t *room,
                       Dwarf_Die *unit)
{
    Dwarf_Addr base, low, high;
    ptrdiff_t at = 0;
    while ((at = elf->dw->dwarf_ranges(unit, at, &base, &low, &high)) > 0)
        if (low > 0 && low < high && !add_range(lines, room, low, high))
            return false;
    return true;
}

static bool add_unit(struct gptl_elf_lines *lines, size_t *room, const Dwarf_Die *unit)
{
    if (lines->nunits == *room) {
        size_t more = *room ? 2 * *room : 64;
        Dwarf_Die *units = realloc(lines->units, more * sizeof *units);
        if (!units)
            return false;
        lines->units = units;
        *room = more;
    }
    lines->units[lines->nunits++] = *unit;
    return true;
}

static int compare(const void *left, const void *right)
{
    const struct gptl_elf_range *a = left, *b = right;
    return (a->low > b->low) - (a->low < b->low);
}

/* Units that are damaged or do not fit in memory are left without lines. */
static void read_units(const struct gptl_elf *elf, Dwarf *dwarf, struct gptl_elf_lines *lines)
{
    Dwarf_Off offset = 0, next;
    size_t header, units = 0, ranges = 0;
    while (elf->dw->dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL) == 0) {
        Dwarf_Die unit;
        if (elf->dw->dwarf_offdie(dwarf, offset + header, &unit)) {
            size_t before = lines->nranges;
            if (!add_ranges(elf, lines, &ranges, &unit))
                break;
            if (lines->nranges > before && !add_unit(lines, &units, &unit)) {
                lines->nranges = before;
                break;
            }
        }
        if (next <= offset)
            break;
        offset = next;
    }
    if (lines->nranges > 0)
        qsort(lines->ranges, lines->nranges, sizeof *lines->ranges, compare);
}

static Dwarf_Die *unit_of(const struct gptl_elf_lines *lines, uint64_t address)
{
    size_t low = 0, high = lines->nranges;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lines->ranges[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || address >= lines->ranges[low - 1].high)
        return NULL;
    return &lines->units[lines->ranges[low - 1].unit];
}

/*
 * Return the row of ADDRESS. The rows of a unit are sorted by address. Several rows can share one
 * address: at a function's start, the first is the function's head, and optimized statements
 * follow.
 */
static Dwarf_Line *row_of(const struct gptl_elf *elf, Dwarf_Lines *rows, size_t n, uint64_t address)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        Dwarf_Addr at;
        if (elf->dw->dwarf_lineaddr(elf->dw->dwarf_onesrcline(rows, middle), &at))
            return NULL;
        if (at < address)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i < n; i++) {
        Dwarf_Line *row = elf->dw->dwarf_onesrcline(rows, i);
        Dwarf_Addr at;
        bool end;
        if (elf->dw->dwarf_lineaddr(row, &at) || at != address)
            break;
        if (elf->dw->dwarf_lineendsequence(row, &end) == 0 && !end)
            return row;
    }
    bool end = true;
    Dwarf_Line *row = low > 0 ? elf->dw->dwarf_onesrcline(rows, low - 1) : NULL;
    return row && elf->dw->dwarf_lineendsequence(row, &end) == 0 && !end ? row : NULL;
}

void gptl_elf_line(struct gptl_elf *elf, uint64_t address, struct gptl_symbol *out)
{
    if (!elf->has_lines) {
        elf->has_lines = true;
        Dwarf *dwarf = elf->dw->dwfl_module_getdwarf(elf->module, &elf->lines.bias);
        if (dwarf)
            read_units(elf, dwarf, &elf->lines);
    }
    Dwarf_Lines *rows;
    size_t n;
    uint64_t own = address - elf->lines.bias;
    Dwarf_Die *unit = unit_of(&elf->lines, own);
    if (!unit || elf->dw->dwarf_getsrclines(unit, &rows, &n))
        return;
    Dwarf_Line *row = row_of(elf, rows, n, own);
    int line;
    if (!row || elf->dw->dwarf_lineno(row, &line) || line <= 0)
        return;
    out->file = elf->dw->dwarf_linesrc(row, NULL, NULL);
    out->line = out->file ? line : 0;
}

void gptl_elf_free_lines(struct gptl_elf_lines *lines)
{
    free(lines->units);
    free(lines->ranges);
    *lines = (struct gptl_elf_lines){0};
}
