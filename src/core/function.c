/*
 * function.c - regions that compilers' hooks identify by the address of a function.
 *
 * A table maps addresses to functions. It is read without the lock, since every path that is new to
 * a thread comes here, and written with the lock. The registered finder (module autoprof)
 * determines the module of an address, only for addresses missing in the table.
 */
#include "config.h"

#include "core/function.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/mem.h"
#include "core/own_stack.h"
#include "core/roll.h"
#include "core/salvage.h"
#include "core/state.h"
#include "core/work.h"

#define load(p) atomic_load_explicit(p, memory_order_acquire)
#define store(p, v) atomic_store_explicit(p, v, memory_order_release)

/* Address of a removed entry, which a search passes over. */
#define GONE ((uintptr_t)1)

struct entry {
    _Atomic uintptr_t address;
    struct gptl_kept_function *_Atomic function;
};

struct table {
    uint32_t capacity; /* a power of two */
    uint32_t used;     /* entries that are not free, including removed ones */
    struct entry entries[];
};

static struct {
    struct table *_Atomic table; /* old ones are not freed: another thread may be reading them */
    struct gptl_arena modules_arena, functions_arena;
    struct gptl_kept_module *first_module, *last_module;
    struct gptl_kept_function *first, *last;
    uint32_t nmodules, nfunctions;
    gptl_finder *finder;
} known;

void gptl_core_set_finder(gptl_finder *finder)
{
    known.finder = finder;
}

struct gptl_kept_module *gptl_function_modules(void)
{
    return known.first_module;
}

struct gptl_kept_function *gptl_function_first(void)
{
    return known.first;
}

/* ---- The table ----------------------------------------------------------------------------- */

static uint32_t place_of(const struct table *table, uintptr_t address)
{
    return (uint32_t)(address * 0x9e3779b97f4a7c15u >> 32) & (table->capacity - 1);
}

static struct gptl_kept_function *look_up(uintptr_t address)
{
    struct table *table = load(&known.table);
    if (!table)
        return NULL;
    for (uint32_t i = place_of(table, address);; i = (i + 1) & (table->capacity - 1)) {
        uintptr_t there = load(&table->entries[i].address);
        if (there == address)
            return load(&table->entries[i].function);
        if (!there)
            return NULL;
    }
}

static void put(struct table *table, uintptr_t address, struct gptl_kept_function *function)
{
    uint32_t i = place_of(table, address);
    while (load(&table->entries[i].address))
        i = (i + 1) & (table->capacity - 1);
    store(&table->entries[i].function, function);
    store(&table->entries[i].address, address);
    table->used++;
}

static bool room_in_table(void)
{
    struct table *old = load(&known.table);
    if (old && (uint64_t)old->used * 3 < (uint64_t)old->capacity * 2)
        return true;
    uint32_t capacity = old ? 2 * old->capacity : 256;
    struct table *table = gptl_mem_pages(sizeof *table + capacity * sizeof *table->entries);
    if (!table)
        return false;
    table->capacity = capacity;
    for (uint32_t i = 0; old && i < old->capacity; i++) {
        uintptr_t address = load(&old->entries[i].address);
        if (address && address != GONE)
            put(table, address, load(&old->entries[i].function));
    }
    store(&known.table, table);
    return true;
}

static void forget_addresses(uintptr_t begin, uintptr_t end)
{
    struct table *table = load(&known.table);
    for (uint32_t i = 0; table && i < table->capacity; i++) {
        uintptr_t address = load(&table->entries[i].address);
        if (address >= begin && address < end)
            store(&table->entries[i].address, GONE);
    }
}

void gptl_core_forget_functions(uintptr_t begin, uintptr_t end)
{
    gptl_lock();
    forget_addresses(begin, end);
    gptl_roll_order_forget();
    gptl_unlock();
}

/* ---- Modules ------------------------------------------------------------------------------- */

static const char *path_of(const struct gptl_kept_module *module)
{
    return module->text + module->label_size;
}

static const char *build_id_of(const struct gptl_kept_module *module)
{
    return path_of(module) + module->path_size;
}

/*
 * Choose a unique label for the module: the last part of its path, restricted to plain characters.
 */
static void choose_label(char *label, size_t size, const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t n = 0;
    for (; *base && n + 12 < size; base++, n++) {
        char c = *base;
        bool plain = (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '.' ||
                     c == '_' || c == '-';
        label[n] = plain ? c : '_';
    }
    if (n == 0)
        label[n++] = '_';
    label[n] = '\0';
    for (unsigned number = 2;; number++) {
        const struct gptl_kept_module *m = known.first_module;
        while (m && strcmp(m->text, label) != 0)
            m = m->next;
        if (!m)
            return;
        snprintf(label + n, size - n, "#%u", number);
    }
}

static struct gptl_kept_module *make_module(const char *path, const char *build_id)
{
    char label[128];
    choose_label(label, sizeof label, path);
    size_t label_size = strlen(label) + 1, path_size = strlen(path) + 1;
    size_t build_id_size = strlen(build_id) + 1;
    struct gptl_kept_module *m = gptl_arena_alloc(
        &known.modules_arena, sizeof *m + label_size + path_size + build_id_size, 8);
    if (!m)
        return NULL;
    m->index = known.nmodules++;
    m->label_size = (uint32_t)label_size;
    m->path_size = (uint32_t)path_size;
    m->build_id_size = (uint32_t)build_id_size;
    memcpy(m->text, label, label_size);
    memcpy(m->text + label_size, path, path_size);
    memcpy(m->text + label_size + path_size, build_id, build_id_size);
    if (known.last_module)
        known.last_module->next = m;
    else
        known.first_module = m;
    known.last_module = m;
    return m;
}

/*
 * Return the module of a file; the same file loaded again is the same module, but a file rebuilt in
 * between is a different one.
 */
static struct gptl_kept_module *module_of(const char *path, const char *build_id)
{
    for (struct gptl_kept_module *m = known.first_module; m; m = m->next)
        if (strcmp(path_of(m), path) == 0 && strcmp(build_id_of(m), build_id) == 0)
            return m;
    return make_module(path, build_id);
}

/* ---- Functions ----------------------------------------------------------------------------- */

static struct gptl_kept_function *make_function(const struct gptl_place *place)
{
    char text[192];
    struct gptl_kept_module *module = module_of(place->path, place->build_id);
    if (!module)
        return NULL;
    int n =
        snprintf(text, sizeof text, "%s+0x%llx", module->text, (unsigned long long)place->offset);
    struct gptl_name name = {text, (size_t)n, GPTL_KIND_FUNCTION};
    struct gptl_region *region = gptl_name_intern(name, gptl_name_hash(name));
    if (!region)
        return NULL;
    if (region->function) /* the module was loaded before */
        return region->function;
    struct gptl_kept_function *f = gptl_arena_alloc(&known.functions_arena, sizeof *f, 8);
    if (!f)
        return NULL;
    f->region = region;
    f->module = module;
    f->offset = place->offset;
    f->left_out = place->left_out;
    region->function = f;
    known.nfunctions++;
    bool is_first = !known.last;
    if (is_first)
        known.first = f;
    else
        known.last->next = f;
    known.last = f;
    if (is_first)
        gptl_salvage_update();
    return f;
}

static void tell(const struct gptl_kept_function *f, bool stays, struct gptl_function_found *out)
{
    struct gptl_name name = {f->region->name, f->region->size - 1, GPTL_KIND_FUNCTION};
    *out = (struct gptl_function_found){name, f->left_out, stays};
}

struct search {
    const void *address;
    struct gptl_function_found *out;
};

static void find(void *search)
{
    const void *address = ((struct search *)search)->address;
    struct gptl_function_found *out = ((struct search *)search)->out;
    struct gptl_kept_function *f;
    struct gptl_place place = {.path = "", .offset = (uintptr_t)address};
    sigset_t before = gptl_core_hold_signals();
    /* without the lock: the finder calls the dynamic linker, which has another lock */
    if (known.finder) {
        struct gptl_work work;
        gptl_work_begin(&work); /* a filter examines all functions of a new module */
        known.finder(address, &place);
        gptl_core_work_end(&work);
    }
    gptl_lock();
    f = make_function(&place);
    bool listed = f && place.stays && (look_up((uintptr_t)address) || room_in_table());
    if (listed && !look_up((uintptr_t)address))
        put(load(&known.table), (uintptr_t)address, f);
    gptl_unlock();
    gptl_core_release_signals(before);
    if (f)
        tell(f, listed, out);
    else /* no memory: use the region for all such names */
        *out = (struct gptl_function_found){.name = {"(other)", 7, GPTL_KIND_FOLDED}};
}

/*
 * The search runs on a stack of the library, since the dynamic linker needs more stack than a
 * thread may have.
 */
void gptl_function_find(const void *address, struct gptl_function_found *out)
{
    struct gptl_kept_function *f = look_up((uintptr_t)address);
    if (f)
        tell(f, true, out);
    else
        gptl_own_stack_call(find, &(struct search){address, out});
}

/* ---- Copies -------------------------------------------------------------------------------- */

static char *copy_text(const char *text, size_t size, bool *whole)
{
    char *copy = malloc(size);
    *whole &= copy != NULL;
    if (copy)
        memcpy(copy, text, size);
    return copy;
}

bool gptl_function_copy_module(const struct gptl_kept_module *module, struct gptl_module *out)
{
    bool whole = true;
    out->label = copy_text(module->text, module->label_size, &whole);
    out->path = copy_text(path_of(module), module->path_size, &whole);
    out->build_id = copy_text(build_id_of(module), module->build_id_size, &whole);
    return whole;
}

static int by_region(const void *a, const void *b)
{
    uint32_t x = ((const struct gptl_function *)a)->region;
    uint32_t y = ((const struct gptl_function *)b)->region;
    return x < y ? -1 : x > y;
}

void gptl_core_sort_functions(struct gptl_function_copies *functions)
{
    if (functions->nfunctions)
        qsort(functions->functions, functions->nfunctions, sizeof *functions->functions, by_region);
}

int gptl_core_copy_functions(struct gptl_function_copies *out)
{
    memset(out, 0, sizeof *out);
    gptl_lock();
    out->modules = calloc(known.nmodules + 1, sizeof *out->modules);
    out->functions = calloc(known.nfunctions + 1, sizeof *out->functions);
    bool whole = out->modules && out->functions;
    for (struct gptl_kept_module *m = known.first_module; whole && m; m = m->next)
        whole = gptl_function_copy_module(m, &out->modules[out->nmodules++]);
    for (struct gptl_kept_function *f = known.first; whole && f; f = f->next) {
        if (f->left_out)
            continue;
        struct gptl_function *to = &out->functions[out->nfunctions++];
        to->region = f->region->id;
        to->module = f->module->index;
        to->offset = f->offset;
        to->address = copy_text(f->region->name, f->region->size, &whole);
    }
    gptl_unlock();
    if (!whole) {
        gptl_core_functions_free(out);
        return -1;
    }
    gptl_core_sort_functions(out);
    return 0;
}

void gptl_core_functions_free(struct gptl_function_copies *functions)
{
    for (uint32_t i = 0; i < functions->nmodules; i++) {
        free(functions->modules[i].label);
        free(functions->modules[i].path);
        free(functions->modules[i].build_id);
    }
    for (uint32_t i = 0; i < functions->nfunctions; i++) {
        free(functions->functions[i].address);
        free(functions->functions[i].name);
        free(functions->functions[i].file);
    }
    free(functions->modules);
    free(functions->functions);
    memset(functions, 0, sizeof *functions);
}
