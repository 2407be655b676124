/*
 * module.c - opens the file of a module if it is the file that was mapped.
 *
 * Each module has a separate libdwfl session that places it at its link addresses.
 */
#include "config.h"

#include "symbols/module.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/descriptor.h"

int gptl_elf_open_file(const char *path)
{
    /* O_NONBLOCK: opening a pipe must not block the reader. */
    int fd = gptl_descriptor_open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK, 0);
    struct stat status;
    if (fd >= 0 && (fstat(fd, &status) || !S_ISREG(status.st_mode) || status.st_size == 0)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

char *gptl_elf_hex(const void *id, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *bytes = id;
    char *hex = malloc(2 * size + 1);
    for (size_t i = 0; hex && i < size; i++) {
        hex[2 * i] = digits[bytes[i] >> 4];
        hex[2 * i + 1] = digits[bytes[i] & 15];
    }
    if (hex)
        hex[2 * size] = '\0';
    return hex;
}

/* ---- libdwfl session ------------------------------------------------------------------------- */

static int find_no_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                       char **found, Elf **elf)
{
    (void)module, (void)data, (void)name, (void)base, (void)found, (void)elf;
    return -1;
}

/* Refuse section addresses, which only object files need; a module is never an object file. */
static int no_section_address(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                              const char *section, GElf_Word index, const GElf_Shdr *header,
                              Dwarf_Addr *address)
{
    (void)module, (void)data, (void)name, (void)base, (void)section, (void)index, (void)header;
    *address = 0;
    return -1;
}

static const Dwfl_Callbacks callbacks = {
    .find_elf = find_no_elf,
    .find_debuginfo = gptl_debugfile_find,
    .section_address = no_section_address,
};

/* Accept only programs and shared libraries. libdwfl handles files with several mappings. */
static bool is_loadable(const struct gptl_elf *elf, Elf *file)
{
    GElf_Ehdr header;
    return file && elf->dw->gelf_getehdr(file, &header) &&
           (header.e_type == ET_EXEC || header.e_type == ET_DYN);
}

/* Report the file to a new session. FD is closed or becomes the property of the session. */
static bool report(struct gptl_elf *elf, const char *path, int fd)
{
    const struct gptl_libdw *dw = elf->dw;
    void **data;
    GElf_Addr bias;
    elf->dwfl = dw->dwfl_begin(&callbacks);
    if (elf->dwfl) {
        dw->dwfl_report_begin(elf->dwfl);
        elf->module = dw->dwfl_report_elf(elf->dwfl, path, path, fd, 0, true);
    }
    if (!elf->module) {
        close(fd);
        return false;
    }
    if (dw->dwfl_report_end(elf->dwfl, NULL, NULL) ||
        !dw->dwfl_module_info(elf->module, &data, NULL, NULL, NULL, NULL, NULL, NULL))
        return false;
    *data = elf;
    Elf *file = dw->dwfl_module_getelf(elf->module, &bias);
    return is_loadable(elf, file) && bias == 0;
}

static void end_session(struct gptl_elf *elf)
{
    if (elf->dwfl)
        elf->dw->dwfl_end(elf->dwfl);
    elf->dwfl = NULL;
    elf->module = NULL;
}

/* ---- File selection -------------------------------------------------------------------------- */

/* Return the build id as text; NULL when out of memory. */
static char *own_id(const struct gptl_elf *elf)
{
    const unsigned char *bits;
    GElf_Addr address;
    int size = elf->dw->dwfl_module_build_id(elf->module, &bits, &address);
    return gptl_elf_hex(bits, size > 0 ? (size_t)size : 0);
}

/* Store the fingerprint of a file without a build id. */
static void read_fingerprint(struct gptl_elf *elf)
{
    char text[GPTL_FINGERPRINT_SIZE];
    int fd = gptl_elf_open_file(elf->opened);
    if (fd >= 0 && gptl_symbols_fingerprint(fd, text)) {
        free(elf->own_id);
        elf->own_id = strdup(text);
    }
    if (fd >= 0)
        close(fd);
}

static enum gptl_symbol_state check_build(struct gptl_elf *elf)
{
    free(elf->own_id);
    elf->own_id = own_id(elf);
    if (elf->own_id && !*elf->own_id)
        read_fingerprint(elf);
    if (!elf->own_id)
        return GPTL_SYMBOL_NO_MEMORY;
    return elf->build_id[0] && strcasecmp(elf->own_id, elf->build_id) != 0 ? GPTL_SYMBOL_CHANGED
                                                                           : GPTL_SYMBOL_FOUND;
}

/* Open PATH, which this function frees or stores. */
static enum gptl_symbol_state try_file(struct gptl_elf *elf, char *path, int fd)
{
    if (!path || fd < 0) {
        free(path);
        if (fd >= 0)
            close(fd);
        return GPTL_SYMBOL_NO_FILE;
    }
    enum gptl_symbol_state state = GPTL_SYMBOL_NOT_ELF;
    free(elf->opened);
    elf->opened = path;
    if (report(elf, path, fd))
        state = check_build(elf);
    if (state != GPTL_SYMBOL_FOUND)
        end_session(elf);
    return state;
}

/*
 * Return the path without the kernel's " (deleted)" suffix. Another file may have this name now,
 * for instance a rebuilt program, so the path is usable only with a build id to compare.
 */
static char *without_deleted(const struct gptl_elf *elf)
{
    static const char deleted[] = " (deleted)";
    size_t length = strlen(elf->path), rest = sizeof deleted - 1;
    if (!elf->build_id[0] || length <= rest || strcmp(elf->path + length - rest, deleted) != 0)
        return NULL;
    return strndup(elf->path, length - rest);
}

/*
 * Try the file as mapped by this process: if this process is the one that recorded the address, the
 * kernel still holds the original file.
 */
static enum gptl_symbol_state try_mapped(struct gptl_elf *elf)
{
    static const char program[] = "/proc/self/exe";
    if (try_file(elf, strdup(program), gptl_elf_open_file(program)) == GPTL_SYMBOL_FOUND)
        return GPTL_SYMBOL_FOUND;
    int fd = gptl_symbols_open_replaced(elf->path);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return fd < 0 ? GPTL_SYMBOL_NO_FILE : try_file(elf, strdup(path), fd);
}

/* Open the file itself, or its separate debug file if the file is gone. */
static enum gptl_symbol_state open_any(struct gptl_elf *elf)
{
    enum gptl_symbol_state state = try_file(elf, strdup(elf->path), gptl_elf_open_file(elf->path));
    if (state == GPTL_SYMBOL_NO_FILE) {
        char *path = without_deleted(elf);
        if (path)
            state = try_file(elf, path, gptl_elf_open_file(path));
    }
    if (state != GPTL_SYMBOL_FOUND && elf->build_id[0] && try_mapped(elf) == GPTL_SYMBOL_FOUND)
        state = GPTL_SYMBOL_FOUND;
    if (state != GPTL_SYMBOL_FOUND && elf->build_id[0]) {
        char *path = NULL;
        int fd = gptl_debugfile_by_id(elf->dirs, elf->build_id, &path);
        if (fd >= 0 && try_file(elf, path, fd) == GPTL_SYMBOL_FOUND)
            state = GPTL_SYMBOL_FOUND;
    }
    return state;
}

struct gptl_elf *gptl_elf_new(const struct gptl_libdw *dw, const struct gptl_debug_dirs *dirs,
                              const struct gptl_symbol_module *module)
{
    struct gptl_elf *elf = calloc(1, sizeof *elf);
    if (!elf)
        return NULL;
    elf->dw = dw;
    elf->dirs = dirs;
    elf->path = strdup(module->path);
    elf->build_id = strdup(module->build_id ? module->build_id : "");
    if (!elf->path || !elf->build_id) {
        gptl_elf_free(elf);
        return NULL;
    }
    elf->state = open_any(elf);
    if (elf->state == GPTL_SYMBOL_FOUND)
        elf->state = gptl_elf_read_functions(elf);
    return elf;
}

void gptl_elf_free(struct gptl_elf *elf)
{
    if (!elf)
        return;
    gptl_elf_free_lines(&elf->lines);
    end_session(elf);
    for (size_t i = 0; i < elf->ntexts; i++)
        free(elf->texts[i]);
    free(elf->texts);
    free(elf->functions);
    free(elf->stubs);
    free(elf->opened);
    free(elf->own_id);
    free(elf->path);
    free(elf->build_id);
    free(elf);
}
