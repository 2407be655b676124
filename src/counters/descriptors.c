/*
 * descriptors.c - the files through which PAPI counts have numbers that no other file gets soon.
 *
 * A program may close files that it did not open, as daemons close all from 3 on. The kernel gives the
 * lowest number that is free: the program's next file would have that of an event, and PAPI would
 * read it, and take what was the program's. High numbers are given last, so PAPI finds no file there.
 *
 * libpapi opens events by syscall() alone, and has its address in a table of its own, where a function
 * of this file takes its place. Nothing else is changed, neither in the program nor in libc.
 */
#include "config.h"

#include "counters/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- Numbers ------------------------------------------------------------------------------- */

/*
 * Three quarters up to the limit, or lower where all above are taken. Not higher than this: a child of
 * fork is given a table as long as the highest number: fork takes 12 us longer for 3072, 50 for 12288.
 */
enum { HIGHEST = 4096 };

/* What is executed by another program is not to have it. */
static int raise_one(int fd)
{
    struct rlimit limit;
    int error = errno, high = -1;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > HIGHEST)
        limit.rlim_cur = HIGHEST;
    for (int least = (int)limit.rlim_cur / 4 * 3; high < 0 && least > fd; least /= 2)
        high = fcntl(fd, F_DUPFD_CLOEXEC, least);
    if (high >= 0)
        syscall(SYS_close, fd); /* past what logs the program's calls */
    errno = error;
    return high >= 0 ? high : fd;
}

/* What libpapi calls for syscall(). */
static long call(long number, long a, long b, long c, long d, long e, long f)
{
    long result = syscall(number, a, b, c, d, e, f);
    return number == SYS_perf_event_open && result >= 0 ? raise_one((int)result) : result;
}

/* ---- The library's table ------------------------------------------------------------------- */

struct table {
    uintptr_t base, function; /* of the library; in it */
    const char *strings;
    const ElfW(Sym) * symbols;
    uintptr_t relocations[3]; /* for calls, and others with and without an addend */
    size_t size[3], step[3];
    uintptr_t constant, constant_end; /* what is not written to once it is loaded */
};

enum { CALLS, WITH_ADDEND, WITHOUT };

/* Some dynamic linkers have put the address in, some have not. */
static uintptr_t address(const struct table *table, uintptr_t value)
{
    return value < table->base ? table->base + value : value;
}

static void read_dynamic(struct table *table, const ElfW(Dyn) * entry)
{
    for (; entry->d_tag != DT_NULL; entry++) {
        uintptr_t value = entry->d_un.d_val;
        switch (entry->d_tag) {
        case DT_STRTAB:
            table->strings = (const char *)address(table, value);
            break;
        case DT_SYMTAB:
            table->symbols = (const void *)address(table, value);
            break;
        case DT_JMPREL:
            table->relocations[CALLS] = address(table, value);
            break;
        case DT_PLTRELSZ:
            table->size[CALLS] = value;
            break;
        case DT_PLTREL:
            table->step[CALLS] = value == DT_RELA ? sizeof(ElfW(Rela)) : sizeof(ElfW(Rel));
            break;
        case DT_RELA:
            table->relocations[WITH_ADDEND] = address(table, value);
            break;
        case DT_RELASZ:
            table->size[WITH_ADDEND] = value;
            break;
        case DT_REL:
            table->relocations[WITHOUT] = address(table, value);
            break;
        case DT_RELSZ:
            table->size[WITHOUT] = value;
            break;
        default:
            break;
        }
    }
    table->step[WITH_ADDEND] = sizeof(ElfW(Rela));
    table->step[WITHOUT] = sizeof(ElfW(Rel));
}

static void replace(const struct table *table, uintptr_t at)
{
    /* What is constant is so by whole pages. */
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = at & ~(page - 1);
    bool constant =
        first >= (table->constant & ~(page - 1)) && first < (table->constant_end & ~(page - 1));
    if (constant && mprotect((void *)first, page, PROT_READ | PROT_WRITE) != 0)
        return;
    __atomic_store_n((uintptr_t *)at, (uintptr_t)call, __ATOMIC_RELEASE);
    if (constant)
        mprotect((void *)first, page, PROT_READ);
}

/* A call has a place of its own, which may not be looked up yet; any other holds the address. */
static void replace_all(const struct table *table)
{
    const size_t shift = sizeof(void *) == 8 ? 32 : 8; /* ELF64_R_SYM, ELF32_R_SYM */
    for (int kind = 0; kind < 3; kind++)
        for (size_t i = 0; table->step[kind] && i + table->step[kind] <= table->size[kind];
             i += table->step[kind]) {
            const ElfW(Rel) *one = (const void *)(table->relocations[kind] + i);
            const ElfW(Sym) *symbol = &table->symbols[(uint64_t)one->r_info >> shift];
            uintptr_t at = table->base + one->r_offset;
            if (strcmp(table->strings + symbol->st_name, "syscall") == 0 &&
                (kind == CALLS || *(uintptr_t *)at == (uintptr_t)syscall))
                replace(table, at);
        }
}

static bool has_function(const struct dl_phdr_info *info, uintptr_t function)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && function >= begin &&
            function - begin < info->dlpi_phdr[i].p_memsz)
            return true;
    }
    return false;
}

static int visit(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct table *table = arg;
    (void)size;
    if (!has_function(info, table->function))
        return 0;
    table->base = info->dlpi_addr;
    if (table->base == 0) /* a program that has PAPI in itself, and is at its own addresses */
        return 1;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_DYNAMIC)
            read_dynamic(table, (const void *)begin);
        if (segment->p_type == PT_GNU_RELRO) {
            table->constant = begin;
            table->constant_end = begin + segment->p_memsz;
        }
    }
    if (table->strings && table->symbols)
        replace_all(table);
    return 1;
}

void gptl_descriptors_raise(const void *function)
{
    struct table table = {.function = (uintptr_t)function};
    dl_iterate_phdr(visit, &table);
}
