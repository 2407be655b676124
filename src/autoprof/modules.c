/*
 * modules.c - the object files that this process has loaded or unloaded.
 *
 * Lock order: the dynamic linker calls constructors, which may be instrumented, with its own lock
 * held. Therefore this file queries the dynamic linker before it takes its own lock, and never with
 * that lock held.
 */
#include "config.h"

#include "autoprof/modules.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "autoprof/filter.h"
#include "symbols/symbols.h"

/* A loaded object file. */
struct module {
    uintptr_t begin, end, bias;
    uint64_t identity; /* distinguishes the files loaded at this address over time */
    bool is_program;
    /* fingerprint of a file without a build id, once computed */
    char fingerprint[GPTL_FINGERPRINT_SIZE];
    struct gptl_left_out *left_out;
};

/* Path of the program, whose entry in the dynamic linker's list is empty. */
static char program[4096];

/* ---- Queries of the dynamic linker ----------------------------------------------------------- */

static void copy_hex(char *to, const unsigned char *from, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < n && i < GPTL_BUILD_ID_SIZE / 2; i++) {
        *to++ = digits[from[i] >> 4];
        *to++ = digits[from[i] & 15];
    }
    *to = '\0';
}

/* Copy the build id, if present, from the notes of SIZE bytes at P. */
static void read_notes(char *build_id, const char *p, size_t size, size_t align)
{
    while (size >= sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)p;
        size_t name = ((size_t)note->n_namesz + align - 1) & ~(align - 1);
        size_t whole = sizeof *note + name + (((size_t)note->n_descsz + align - 1) & ~(align - 1));
        if (whole > size)
            return;
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
            memcmp(p + sizeof *note, "GNU", 4) == 0) {
            copy_hex(build_id, (const unsigned char *)p + sizeof *note + name, note->n_descsz);
            return;
        }
        p += whole;
        size -= whole;
    }
}

static void read_build_id(const struct dl_phdr_info *info, char *build_id)
{
    build_id[0] = '\0';
    for (unsigned i = 0; i < info->dlpi_phnum && !build_id[0]; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type == PT_NOTE)
            read_notes(build_id, (const char *)(info->dlpi_addr + header->p_vaddr), header->p_memsz,
                       header->p_align == 8 ? 8 : 4);
    }
}

static uint64_t hash_text(uint64_t h, const char *text)
{
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001b3u;
    return h;
}

static struct module describe(const struct dl_phdr_info *info)
{
    struct module m = {.begin = UINTPTR_MAX, .bias = info->dlpi_addr};
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + header->p_vaddr, end = begin + header->p_memsz;
        if (header->p_type != PT_LOAD)
            continue;
        m.begin = begin < m.begin ? begin : m.begin;
        m.end = end > m.end ? end : m.end;
    }
    char build_id[GPTL_BUILD_ID_SIZE];
    read_build_id(info, build_id);
    m.identity = hash_text(hash_text(0xcbf29ce484222325u, info->dlpi_name), build_id);
    return m;
}

static bool holds(const struct dl_phdr_info *info, uintptr_t address)
{
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type == PT_LOAD &&
            address - (info->dlpi_addr + header->p_vaddr) < header->p_memsz)
            return true;
    }
    return false;
}

struct search {
    uintptr_t address;
    bool others, found; /* skipped other modules; MODULE contains the address */
    unsigned long long unloaded;
    struct module module;
    struct gptl_place *place;
};

static int visit_until_found(struct dl_phdr_info *info, size_t size, void *data)
{
    struct search *search = data;
    bool is_program = !search->others;
    search->others = true;
    if (size > offsetof(struct dl_phdr_info, dlpi_subs))
        search->unloaded = info->dlpi_subs;
    if (!holds(info, search->address))
        return 0;
    search->found = true;
    search->module = describe(info);
    search->module.is_program = is_program;
    read_build_id(info, search->place->build_id);
    search->place->path = is_program && program[0] ? program : info->dlpi_name;
    return 1;
}

/* ---- Modules with known functions ------------------------------------------------------------ */

/* Capacity. Further modules are looked up at each event: slow, but correct. */
enum { MOST_SEEN = 1024 };

static struct {
    pthread_mutex_t lock;
    struct module modules[MOST_SEEN];
    bool there[MOST_SEEN];
    unsigned n;
    _Atomic(unsigned long long) unloaded; /* number of unloaded modules at the last check */
} seen = {.lock = PTHREAD_MUTEX_INITIALIZER};

static unsigned find_seen(uintptr_t begin)
{
    unsigned i = 0;
    while (i < seen.n && seen.modules[i].begin != begin)
        i++;
    return i;
}

/*
 * Add a new module to the list of seen modules. Return whether the list contains it. Its excluded
 * functions are determined once.
 */
static bool note(const struct module *module, struct gptl_place *place)
{
    pthread_mutex_lock(&seen.lock);
    unsigned i = find_seen(module->begin);
    bool known = i < seen.n, room = i < MOST_SEEN;
    if (known && !place->build_id[0])
        strcpy(place->build_id, seen.modules[i].fingerprint);
    pthread_mutex_unlock(&seen.lock);
    if (known || !room)
        return room;
    struct module added = *module;
    if (!place->build_id[0]) { /* without the lock, because it opens files */
        gptl_symbols_identify((const void *)module->begin, place->path, module->is_program,
                              added.fingerprint);
        strcpy(place->build_id, added.fingerprint);
    }
    if (gptl_filter_is_on()) /* without the lock, because it opens files */
        added.left_out = gptl_filter_module(place->path, place->build_id);
    pthread_mutex_lock(&seen.lock);
    i = find_seen(module->begin);
    room = i < MOST_SEEN;
    if (room && i == seen.n)
        seen.modules[seen.n++] = added;
    else
        gptl_filter_free(added.left_out);
    pthread_mutex_unlock(&seen.lock);
    return room;
}

static int visit_all(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)data;
    struct module module = describe(info);
    pthread_mutex_lock(&seen.lock);
    if (size > offsetof(struct dl_phdr_info, dlpi_subs))
        seen.unloaded = info->dlpi_subs;
    for (unsigned i = 0; i < seen.n; i++)
        seen.there[i] |=
            seen.modules[i].begin == module.begin && seen.modules[i].identity == module.identity;
    pthread_mutex_unlock(&seen.lock);
    return 0;
}

/* Remove one unloaded module from the seen ones and return it in *GONE. */
static bool take_gone(struct module *gone)
{
    unsigned i = 0;
    pthread_mutex_lock(&seen.lock);
    while (i < seen.n && seen.there[i])
        i++;
    bool any = i < seen.n;
    if (any) {
        *gone = seen.modules[i];
        seen.n--;
        seen.modules[i] = seen.modules[seen.n];
        seen.there[i] = seen.there[seen.n];
    }
    pthread_mutex_unlock(&seen.lock);
    return any;
}

/* Make the core forget the functions of modules that have been unloaded. */
static void check(void)
{
    struct module gone;
    pthread_mutex_lock(&seen.lock);
    memset(seen.there, 0, sizeof seen.there);
    bool any = seen.n > 0;
    pthread_mutex_unlock(&seen.lock);
    if (!any)
        return;
    dl_iterate_phdr(visit_all, NULL);
    while (take_gone(&gone)) {
        gptl_core_forget_functions(gone.begin, gone.end);
        gptl_filter_free(gone.left_out);
    }
}

/* Return whether a filter excludes the function. The exclusion list is stored with the module. */
static bool is_left_out(const struct module *module, const struct gptl_place *place)
{
    bool out = false;
    pthread_mutex_lock(&seen.lock);
    unsigned i = find_seen(module->begin);
    if (i < seen.n)
        out = gptl_filter_leaves_out(seen.modules[i].left_out, place->offset);
    pthread_mutex_unlock(&seen.lock);
    return out;
}

void gptl_modules_find(const void *address, struct gptl_place *place)
{
    struct search search = {.address = (uintptr_t)address, .place = place};
    dl_iterate_phdr(visit_until_found, &search);
    if (search.unloaded != seen.unloaded) /* unloaded by a path other than our dlclose */
        check();
    if (!search.found)
        return;
    place->offset = (uint64_t)((uintptr_t)address - search.module.bias);
    bool is_seen = note(&search.module, place);
    place->stays = is_seen;
    place->left_out = is_seen && gptl_filter_is_on() && is_left_out(&search.module, place);
}

static void lock_seen(void)
{
    pthread_mutex_lock(&seen.lock);
}

static void unlock_seen(void)
{
    pthread_mutex_unlock(&seen.lock);
}

void gptl_modules_begin(void)
{
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    pthread_atfork(lock_seen, unlock_seen, unlock_seen);
    gptl_filter_begin();
}

/* ---- Unloading ------------------------------------------------------------------------------- */

/*
 * Interposed dlclose. An address in an unloaded module is invalid and may soon belong to another
 * function, so this function calls libc's dlclose and then checks which modules are gone. It is
 * weak because a program linked with -static may also contain libc's definition. In such a program
 * the real dlclose cannot be found, and its modules stay loaded.
 */
int dlclose(void *handle) __attribute__((weak, visibility("default")));
extern void *dlsym(void *handle, const char *name) __attribute__((weak));

int dlclose(void *handle)
{
    static int (*real)(void *);
    if (!real && dlsym)
        *(void **)&real = dlsym(RTLD_NEXT, "dlclose");
    int rc = real ? real(handle) : 0, error = errno;
    sigset_t before = gptl_core_hold_signals();
    check();
    gptl_core_release_signals(before);
    errno = error;
    return rc;
}
