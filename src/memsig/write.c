/* write.c - writes signature.json in the format of doc/signature.schema.json. */
#include "blocks.h"
#include "branches.h"
#include "core.h"
#include "memsig.h"

#include "pub_tool_clientstate.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_vki.h"
#include "pub_tool_xarray.h"

/* The numbers of one row of "blocks". */
struct numbers {
#define COLUMN(name, merge) ULong name;
#include "columns.def"
#undef COLUMN
    ULong strides[MEMSIG_ENDS + 1], kinds[MEMSIG_KINDS], *found;
};

/* Sums over all simulated rows; they represent rows that never ran in a burst. */
struct totals {
    double accesses, strides[MEMSIG_ENDS + 1], kinds[MEMSIG_KINDS];
#define COLUMN(name, merge)
#define NOTED(name) double name;
#include "columns.def"
#undef COLUMN
    double found[MEMSIG_KINDS * MEMSIG_FOUND];
};

/* ---- Text ----------------------------------------------------------------------------------- */

/* Return the length of the UTF-8 character at TEXT, or 0 if it is invalid. */
static UInt utf8_length(const UChar *text)
{
    static const UInt least[] = {0, 0, 0x80, 0x800, 0x10000};
    UInt n = text[0] < 0x80 ? 1 : text[0] >> 5 == 6 ? 2 : text[0] >> 4 == 14 ? 3 : 4;
    if (n == 1)
        return 1;
    if (n == 4 && text[0] >> 3 != 30)
        return 0;
    UInt character = text[0] & (0x7fu >> n);
    for (UInt i = 1; i < n; i++) {
        if (text[i] >> 6 != 2)
            return 0;
        character = character << 6 | (text[i] & 0x3f);
    }
    Bool fits = character >= least[n] && character < 0x110000 && character >> 11 != 27;
    return fits ? n : 0;
}

/*
 * Write a string with the library's escapes: invalid UTF-8 bytes as \xNN, and also a backslash
 * before an x.
 */
static void put_text(VgFile *file, const HChar *string)
{
    const UChar *text = (const UChar *)string;
    VG_(fprintf)(file, "\"");
    while (*text) {
        UInt n = utf8_length(text);
        if (n == 0 || (*text == '\\' && text[1] == 'x')) {
            VG_(fprintf)(file, "\\\\x%02x", *text++);
        } else if (*text < 0x20 || *text == 0x7f) {
            VG_(fprintf)(file, "\\u%04x", *text++);
        } else {
            if (*text == '"' || *text == '\\')
                VG_(fprintf)(file, "\\");
            while (n-- > 0)
                VG_(fprintf)(file, "%c", *text++);
        }
    }
    VG_(fprintf)(file, "\"");
}

/* ---- Head ----------------------------------------------------------------------------------- */

static void put_rank(VgFile *file)
{
    static const HChar *const variables[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID",
                                             "PMIX_RANK"};
    HChar *end;
    for (UInt i = 0; i < sizeof variables / sizeof *variables; i++) {
        const HChar *value = VG_(getenv)(variables[i]);
        ULong rank = value ? VG_(strtoull10)(value, &end) : 0;
        if (value && end > value && *end == '\0' && rank <= 0x7fffffff) {
            VG_(fprintf)(file, "%llu", rank);
            return;
        }
    }
    VG_(fprintf)(file, "null");
}

static Bool has_avx512(void)
{
    UInt a = 7, b, c = 0, d;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    return (b >> 16 & 1) != 0;
}

static void put_sampling(VgFile *file)
{
    if (!memsig_samples) {
        VG_(fprintf)(file, "null");
        return;
    }
    double error = memsig_sampling_error();
    ULong all = 0, simulated = 0;
    for (const struct block *block = memsig_blocks; block; block = block->next)
        for (const struct row *row = block->rows; row; row = row->next) {
            all += row->counts[0];
            simulated += row->simulated[0];
        }
    VG_(fprintf)
    (file, "{\"fraction\":0.%09u,\"burst_blocks\":%llu,\"error\":",
     all ? (UInt)(999999999.0 * (double)simulated / (double)all) : 0, memsig_burst);
    if (error < 0)
        VG_(fprintf)(file, "null}");
    else
        VG_(fprintf)(file, "%u.%09u}", (UInt)error, (UInt)((error - (UInt)error) * 1e9));
}

static void put_head(VgFile *file, Bool complete)
{
    HChar node[256] = "";
    VG_(fprintf)(file, "{\"format\":\"gptl-signature\",\"version\":1,\n\"program\":");
    put_text(file, VG_(args_the_exename) ? VG_(args_the_exename) : "");
    VG_(fprintf)(file, ",\"command\":[");
    put_text(file, VG_(args_the_exename) ? VG_(args_the_exename) : "");
    for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_client)); i++) {
        VG_(fprintf)(file, ",");
        put_text(file, *(HChar **)VG_(indexXA)(VG_(args_for_client), i));
    }
    Int fd = VG_(fd_open)("/proc/sys/kernel/hostname", VKI_O_RDONLY, 0);
    Int n = fd >= 0 ? VG_(read)(fd, node, sizeof node - 1) : 0;
    if (fd >= 0)
        VG_(close)(fd);
    node[n > 0 ? n : 0] = '\0';
    while (n > 0 && node[n - 1] == '\n')
        node[--n] = '\0';
    VG_(fprintf)(file, "],\"host\":");
    put_text(file, node);
    VG_(fprintf)(file, ",\"rank\":");
    put_rank(file);
    VG_(fprintf)
    (file, ",\"ranks\":1,\"threads\":%u,\"complete\":%s,\"only_caches\":%s,\n\"notes\":[",
     memsig_nthreads, complete ? "true" : "false", memsig_only_caches ? "true" : "false");
    if (has_avx512())
        VG_(fprintf)
    (file, "\"The processor has AVX-512, which Valgrind does not show to programs: "
           "code that chooses its instructions by the processor may have done other "
           "work than in a run without it.\"");
    VG_(fprintf)(file, "],\n\"calls_beyond_paths\":%llu,\"sampling\":", memsig_beyond);
    put_sampling(file);
}

static void put_machines(VgFile *file)
{
    VG_(fprintf)(file, ",\n\"machines\":[");
    for (UInt m = 0; m < memsig_nmachines; m++) {
        const struct machine *machine = &memsig_machines[m];
        VG_(fprintf)(file, "%s\n{\"name\":", m > 0 ? "," : "");
        put_text(file, machine->name);
        VG_(fprintf)(file, ",\"line_bytes\":%u,\"caches\":[", machine->caches[0].line_bytes);
        for (UInt i = 0; i < machine->ncaches; i++)
            VG_(fprintf)
        (file, "%s{\"level\":%u,\"bytes\":%llu,\"line_bytes\":%u,\"associativity\":%u}",
         i > 0 ? "," : "", machine->caches[i].level, machine->caches[i].bytes,
         machine->caches[i].line_bytes, machine->caches[i].ways);
        VG_(fprintf)(file, "]}");
    }
    VG_(fprintf)(file, "]");
}

static void put_regions(VgFile *file)
{
    VG_(fprintf)(file, ",\n\"regions\":[");
    for (UInt i = 0; i < memsig_nregions; i++) {
        const struct region *region = memsig_regions[i];
        VG_(fprintf)(file, "%s\n{\"id\":%u,\"parent\":", i > 0 ? "," : "", i);
        if (region->parent)
            VG_(fprintf)(file, "%u", region->parent->id);
        else
            VG_(fprintf)(file, "null");
        VG_(fprintf)(file, ",\"name\":");
        put_text(file, region->name);
        VG_(fprintf)(file, ",\"calls\":%llu}", region->calls);
    }
    VG_(fprintf)(file, "]");
}

static void put_functions(VgFile *file)
{
    UInt n = memsig_functions ? memsig_functions->number + 1 : 0;
    const struct function **all = VG_(calloc)("memsig.all", n + 1, sizeof *all);
    for (const struct function *f = memsig_functions; f; f = f->next)
        all[f->number] = f;
    VG_(fprintf)(file, ",\n\"functions\":[");
    for (UInt i = 0; i < n; i++) {
        VG_(fprintf)(file, "%s\n{\"name\":", i > 0 ? "," : "");
        put_text(file, all[i]->name);
        VG_(fprintf)(file, ",\"file\":");
        put_text(file, all[i]->file);
        VG_(fprintf)(file, ",\"module\":");
        put_text(file, all[i]->module);
        VG_(fprintf)(file, "}");
    }
    VG_(fprintf)(file, "]");
    VG_(free)(all);
}

/* ---- Blocks --------------------------------------------------------------------------------- */

static ULong accesses_of(const struct block *block, const ULong *counts)
{
    ULong n = 0;
    for (UInt i = 0; i < block->nparts; i++)
        n += counts[i] * (block->parts[i].loads + block->parts[i].stores);
    return n;
}

/* Return the accesses of ROW by kind, for the executions in COUNTS. */
static ULong accesses_of_kind(const struct block *block, const struct row *row, const ULong *counts,
                              UInt kind)
{
    ULong n = 0;
    if (!memsig_only_caches)
        return row->kinds[kind];
    for (UInt i = 0; i < block->nparts; i++)
        n += counts[i] * (kind == MEMSIG_LOAD    ? block->parts[i].loads
                          : kind == MEMSIG_STORE ? block->parts[i].stores
                                                 : 0);
    return n;
}

static void sum_up(struct totals *totals)
{
    VG_(memset)(totals, 0, sizeof *totals);
    for (const struct block *block = memsig_blocks; block; block = block->next)
        for (const struct row *row = block->rows; row; row = row->next) {
            const ULong *counts = row->simulated ? row->simulated : row->counts;
            totals->accesses += (double)accesses_of(block, counts);
#define COLUMN(name, merge)
#define NOTED(name) totals->name += (double)row->noted.name;
#include "columns.def"
#undef COLUMN
            for (UInt i = 0; i <= MEMSIG_ENDS; i++)
                totals->strides[i] += (double)row->strides[i];
            for (UInt i = 0; i < MEMSIG_KINDS; i++)
                totals->kinds[i] += (double)accesses_of_kind(block, row, counts, i);
            for (UInt i = 0; i < MEMSIG_KINDS * memsig_nfound; i++)
                totals->found[i] += (double)row->found[i];
        }
}

/* Scale the simulated numbers to all ACCESSES. */
static void scale(struct numbers *n, const struct block *block, const struct row *row,
                  ULong accesses, const struct totals *totals)
{
    double simulated = (double)accesses_of(block, row->simulated);
    Bool own = simulated > 0;
    double by = own ? (double)accesses / simulated
                    : (double)accesses / (totals->accesses > 0 ? totals->accesses : 1);
#define COLUMN(name, merge)
#define NOTED(name) n->name = (ULong)(by * (own ? (double)row->noted.name : totals->name));
#include "columns.def"
#undef COLUMN
    for (UInt i = 0; i <= MEMSIG_ENDS; i++)
        n->strides[i] = (ULong)(by * (own ? (double)row->strides[i] : totals->strides[i]));
    for (UInt i = 0; i < MEMSIG_KINDS; i++)
        n->kinds[i] = (ULong)(by * (own ? (double)accesses_of_kind(block, row, row->simulated, i)
                                        : totals->kinds[i]));
    for (UInt i = 0; i < MEMSIG_KINDS * memsig_nfound; i++)
        n->found[i] = (ULong)(by * (own ? (double)row->found[i] : totals->found[i]));
}

static void count(struct numbers *n, const struct block *block, const struct row *row,
                  const struct totals *totals)
{
    ULong *found = n->found;
    VG_(memset)(n, 0, sizeof *n);
    n->found = found;
    for (UInt i = 0; i < block->nparts; i++) {
        const struct part *part = &block->parts[i];
        ULong times = row->counts[i];
        n->instructions += times * part->instructions;
        n->loads += times * part->loads;
        n->stores += times * part->stores;
        n->load_bytes += times * part->load_bytes;
        n->store_bytes += times * part->store_bytes;
        n->flops_scalar += times * part->flops_scalar;
        n->flops_vector += times * part->flops_vector;
        n->flops_fused += times * part->flops_fused;
        n->divides += times * part->divides;
        n->float_instructions += times * part->float_instructions;
        n->integer_instructions += times * part->integer_instructions;
        n->branches += times * part->branches;
    }
    n->region = row->region;
    n->function = block->function->number;
    n->line = block->line;
    n->address = block->in_module;
    n->executions = row->counts[0];
    n->runs = row->runs;
    n->wrong_branches = memsig_guessed_wrong(row, n->branches);
    if (memsig_samples) {
        scale(n, block, row, n->loads + n->stores, totals);
    } else {
#define COLUMN(name, merge)
#define NOTED(name) n->name = row->noted.name;
#include "columns.def"
#undef COLUMN
        VG_(memcpy)(n->strides, row->strides, sizeof n->strides);
        for (UInt i = 0; i < MEMSIG_KINDS; i++)
            n->kinds[i] = accesses_of_kind(block, row, row->counts, i);
        VG_(memcpy)(n->found, row->found, MEMSIG_KINDS * memsig_nfound * sizeof *n->found);
    }
    n->random = n->strides[MEMSIG_ENDS];
    n->working_set_bytes = MEMSIG_TOUCHED_BYTES * memsig_touched(&row->footprint);
    if (!memsig_only_caches && n->working_set_bytes == 0 && n->loads + n->stores > 0)
        n->working_set_bytes = MEMSIG_TOUCHED_BYTES;
    n->scattered_set_bytes = MEMSIG_TOUCHED_BYTES * memsig_touched(&row->scattered);
}

/* Write the accesses per level; the first level has all that the others do not have. */
static void put_levels(VgFile *file, const struct machine *machine, ULong accesses,
                       const ULong *found)
{
    ULong left = accesses;
    for (UInt i = 0; i < machine->ncaches; i++)
        left -= found[i] < left ? found[i] : left;
    VG_(fprintf)(file, "[");
    for (UInt i = 0; i <= machine->ncaches && accesses > 0; i++)
        VG_(fprintf)(file, "%s%llu", i > 0 ? "," : "", i > 0 ? found[i - 1] : left);
    VG_(fprintf)(file, "]");
}

static void put_found(VgFile *file, const struct numbers *n)
{
    for (UInt m = 0; m < memsig_nmachines; m++) {
        const struct machine *machine = &memsig_machines[m];
        VG_(fprintf)(file, m > 0 ? ",[" : "[[");
        for (UInt kind = 0; kind < MEMSIG_KINDS; kind++) {
            VG_(fprintf)(file, kind > 0 ? "," : "");
            put_levels(file, machine, n->kinds[kind],
                       &n->found[kind * memsig_nfound + machine->first_found]);
        }
        VG_(fprintf)(file, "]");
    }
    VG_(fprintf)(file, memsig_nmachines > 0 ? "]" : "[]");
}

static void put_cores(VgFile *file, const struct row *row)
{
    VG_(fprintf)(file, ",[");
    for (UInt m = 0; m < memsig_nmachines; m++) {
        ULong picoseconds, waits[MEMSIG_LEVELS];
        VG_(fprintf)(file, m > 0 ? ",[" : "[");
        if (memsig_core_took(row, m, &picoseconds, waits)) {
            VG_(fprintf)(file, "%llu", picoseconds);
            for (UInt i = 0; i < memsig_machines[m].ncaches; i++)
                VG_(fprintf)(file, ",%llu", waits[i]);
        }
        VG_(fprintf)(file, "]");
    }
    VG_(fprintf)(file, "]");
}

static void put_blocks(VgFile *file)
{
    static ULong found[MEMSIG_KINDS * MEMSIG_FOUND];
    struct numbers n = {.found = found};
    static struct totals totals;
    const HChar *before = "\n";
    sum_up(&totals);
    VG_(fprintf)(file, ",\n\"stride_bins_bytes\":[");
    for (UInt i = 0; i < MEMSIG_ENDS; i++)
        VG_(fprintf)(file, "%s%llu", i > 0 ? "," : "", memsig_ends[i]);
    VG_(fprintf)(file, "],\n\"columns\":[");
#define COLUMN(name, merge) VG_(fprintf)(file, "\"" #name "\",");
#include "columns.def"
#undef COLUMN
    VG_(fprintf)(file, "\"strides\",\"found\",\"core\"],\n\"blocks\":[");
    for (const struct block *block = memsig_blocks; block; block = block->next)
        for (const struct row *row = block->rows; row; row = row->next) {
            if (row->counts[0] == 0)
                continue;
            count(&n, block, row, &totals);
            VG_(fprintf)(file, "%s[", before);
#define COLUMN(name, merge) VG_(fprintf)(file, "%llu,", n.name);
#include "columns.def"
#undef COLUMN
            for (UInt i = 0; i <= MEMSIG_ENDS; i++)
                VG_(fprintf)(file, "%s%llu", i > 0 ? "," : "[", n.strides[i]);
            VG_(fprintf)(file, "],");
            put_found(file, &n);
            put_cores(file, row);
            VG_(fprintf)(file, "]");
            before = ",\n";
        }
    VG_(fprintf)(file, "]}\n");
}

Bool memsig_write(const HChar *path, Bool complete)
{
    SizeT size = VG_(strlen)(path) + 8;
    HChar *temporary = VG_(malloc)("memsig.path", size);
    VG_(snprintf)(temporary, (Int)size, "%s.new", path);
    VgFile *file = VG_(fopen)(temporary, VKI_O_WRONLY | VKI_O_CREAT | VKI_O_TRUNC, 0666);
    Bool done = file != NULL;
    for (struct block *block = memsig_blocks; block; block = block->next)
        memsig_flush(block);
    if (done) {
        put_head(file, complete);
        put_machines(file);
        put_regions(file);
        put_functions(file);
        put_blocks(file);
        VG_(fclose)(file);
        done = VG_(rename)(temporary, path) == 0;
    }
    VG_(free)(temporary);
    return done;
}
