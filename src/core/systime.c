/* systime.c - the kernel's clocks, through its vDSO or by system calls. */
#include "config.h"

#include "core/systime.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

#include "core/counter.h"
#include "core/kernel.h"

#if defined(__aarch64__)
#define VDSO_CLOCK "__kernel_clock_gettime"
#else
#define VDSO_CLOCK "__vdso_clock_gettime"
#endif

typedef int vdso_clock(clockid_t clock, struct timespec *time);

static vdso_clock *_Atomic from_vdso;
static atomic_bool restricted;

/* ---- The vDSO ------------------------------------------------------------------------------ */

struct vdso {
    uintptr_t base; /* offset of its addresses */
    const ElfW(Sym) * symbols;
    const char *names;
    size_t n;
};

/*
 * Read the dynamic section. The number of symbols is in the old hash table; without one, the names
 * follow the symbols.
 */
static bool read_dynamic(struct vdso *vdso, const ElfW(Dyn) * entry)
{
    const uint32_t *hash = NULL; /* two words per bucket, then one per symbol */
    for (; entry->d_tag != DT_NULL; entry++) {
        uintptr_t address = vdso->base + entry->d_un.d_ptr;
        if (entry->d_tag == DT_SYMTAB)
            vdso->symbols = (const void *)address;
        else if (entry->d_tag == DT_STRTAB)
            vdso->names = (const void *)address;
        else if (entry->d_tag == DT_HASH)
            hash = (const void *)address;
    }
    if (!vdso->symbols || !vdso->names)
        return false;
    uintptr_t begin = (uintptr_t)vdso->symbols, end = (uintptr_t)vdso->names;
    vdso->n = hash ? hash[1] : end > begin ? (end - begin) / sizeof *vdso->symbols : 0;
    return vdso->n < 1024;
}

static bool find_vdso(struct vdso *vdso)
{
    const ElfW(Ehdr) *head = (const void *)getauxval(AT_SYSINFO_EHDR);
    const ElfW(Dyn) *dynamic = NULL;
    bool loaded = false;
    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0)
        return false;
    const ElfW(Phdr) *segment = (const void *)((const char *)head + head->e_phoff);
    for (unsigned i = 0; i < head->e_phnum; i++)
        if (segment[i].p_type == PT_LOAD && !loaded) {
            vdso->base = (uintptr_t)head + segment[i].p_offset - segment[i].p_vaddr;
            loaded = true;
        } else if (segment[i].p_type == PT_DYNAMIC) {
            dynamic = (const void *)((const char *)head + segment[i].p_offset);
        }
    return loaded && dynamic && read_dynamic(vdso, dynamic);
}

static vdso_clock *find_clock(void)
{
    struct vdso vdso = {0};
    if (!find_vdso(&vdso))
        return NULL;
    for (size_t i = 0; i < vdso.n; i++) {
        const ElfW(Sym) *symbol = &vdso.symbols[i];
        if (symbol->st_shndx != SHN_UNDEF && strcmp(vdso.names + symbol->st_name, VDSO_CLOCK) == 0)
            return (vdso_clock *)(vdso.base + symbol->st_value);
    }
    return NULL;
}

/* ---- Access to the counter ----------------------------------------------------------------- */

/*
 * Return whether the counter is disabled. Preserves errno: the kernel does not support the option
 * on every processor.
 */
static bool is_disabled(void)
{
    int mode = PR_TSC_ENABLE, error = errno;
    bool known = gptl_kernel_call(SYS_prctl, PR_GET_TSC, &mode) == 0;
    errno = error;
    return known && mode == PR_TSC_SIGSEGV;
}

bool gptl_systime_is_restricted(void)
{
    return atomic_load_explicit(&restricted, memory_order_relaxed);
}

void gptl_systime_restrict(void)
{
    atomic_store(&restricted, true);
    atomic_store(&from_vdso, NULL);
}

void gptl_systime_setup(void)
{
    if (is_disabled())
        gptl_systime_restrict();
    else if (!gptl_systime_is_restricted() && !atomic_load(&from_vdso))
        atomic_store(&from_vdso, find_clock());
}

/* ---- Reading ------------------------------------------------------------------------------- */

uint64_t gptl_systime_read(clockid_t clock)
{
    struct timespec time = {0};
    vdso_clock *read = atomic_load_explicit(&from_vdso, memory_order_relaxed);
    /* a filter of system calls forbids the call, but cannot affect the vDSO */
    if ((!read || read(clock, &time) != 0) &&
        gptl_kernel_call(SYS_clock_gettime, clock, &time) != 0 && !gptl_systime_is_restricted())
        clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

struct gptl_moment gptl_systime_moment(void)
{
    struct gptl_moment best = {0, 0};
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 8; i++) {
        uint64_t before = gptl_systime_read(CLOCK_MONOTONIC), ticks = gptl_counter();
        uint64_t width = gptl_systime_read(CLOCK_MONOTONIC) - before;
        if (width < least) {
            least = width;
            best = (struct gptl_moment){ticks, before + width / 2};
        }
    }
    return best;
}
