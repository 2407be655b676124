/*
 * descriptors.c - moves the descriptors of PAPI's counters to high numbers, which other files get
 * only late.
 *
 * A program may close descriptors that it did not open; a daemon closes all from 3 on. The kernel
 * assigns the lowest free number, so the next file of the program would get an event's number. PAPI
 * would then read that file and consume the program's data. High numbers are assigned last, so PAPI
 * finds them closed.
 *
 * libpapi opens events only through syscall(), whose address is in the library's own relocation
 * table. This file replaces that entry. It changes nothing else in the program or in libc.
 */
#include "config.h"

#include "counters/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- Numbers ------------------------------------------------------------------------------- */

/*
 * Highest descriptor to use. The search starts at three quarters of the limit and goes lower if the
 * range above is occupied; the lowest quarter remains for the program. A higher number would slow
 * down fork, because a child's descriptor table is as long as the highest number: fork takes 12 us
 * longer for 3072 and 50 us for 12288.
 */
enum { HIGHEST = 4096 };
static _Atomic uintptr_t opener; /* thread that opens the library's events, 0: none */
static bool spent;               /* the opener found no high number */

void gptl_descriptors_begin(void)
{
    spent = false;
    atomic_store(&opener, (uintptr_t)pthread_self());
}

bool gptl_descriptors_end(void)
{
    atomic_store(&opener, 0);
    return spent;
}

/* Move FD to a high number, with close-on-exec set. */
static int raise_one(int fd)
{
    struct rlimit limit;
    int error = errno, high = -1;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > HIGHEST)
        limit.rlim_cur = HIGHEST;
    int quarter = (int)limit.rlim_cur / 4, least = 3 * quarter;
    for (; high < 0 && least > quarter; least -= quarter)
        high = fcntl(fd, F_DUPFD_CLOEXEC, least);
    if (high < 0)
        high = fcntl(fd, F_DUPFD_CLOEXEC, quarter);
    if (high < 0 && atomic_load(&opener) != (uintptr_t)pthread_self()) {
        errno = error; /* the program uses PAPI itself */
        return fd;
    }
    spent |= high < 0;
    syscall(SYS_close, fd); /* bypasses tools that log the program's calls */
    errno = high < 0 ? EMFILE : error;
    return high;
}

/* Replacement for libpapi's syscall(). */
static long call(long number, long a, long b, long c, long d, long e, long f)
{
    long result = syscall(number, a, b, c, d, e, f);
    return number == SYS_perf_event_open && result >= 0 ? raise_one((int)result) : result;
}

/* ---- Relocation table of the library --------------------------------------------------------- */

struct table {
    uintptr_t base, function; /* of the library; offset in it */
    const char *strings;
    const ElfW(Sym) * symbols;
    uintptr_t relocations[3]; /* of calls, and other ones with and without an addend */
    size_t size[3], step[3];
    uintptr_t constant, constant_end; /* range that becomes read-only after relocation (RELRO) */
};

enum { CALLS, WITH_ADDEND, WITHOUT };

/* Return VALUE as an absolute address. Some dynamic linkers have relocated it, some have not. */
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
    /* RELRO protection covers whole pages. */
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = at & ~(page - 1);
    bool constant =
        first >= (table->constant & ~(page - 1)) && first < (table->constant_end & ~(page - 1));
    if (constant && mprotect((void *)first, page, PROT_READ | PROT_WRITE) != 0)
        return;
    __atomic_store_n((uintptr_t *)at, (uintptr_t)call, __ATOMIC_RELEASE);
    if (constant)
        mprotect((void *)first, page, PROT_READ);
}

/*
 * Replace every reference to the symbol. A call has a separate slot, possibly unresolved; any other
 * reference holds the address.
 */
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
    if (table->base == 0) /* PAPI is linked into a program at fixed addresses */
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
