/*
 * pages.c - first touches of pages. Before an access, the kernel reports whether the page is
 * resident. For file mappings this includes pages read by other processes, as in a run without the
 * tool. Known pages stay known until the memory is freed or remapped.
 */
#include "pages.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

UInt memsig_known_pages[PAGES_KNOWN];

enum { PAGE = 1 << PAGES_SHIFT, DONT_NEED = 4 /* MADV_DONTNEED */ };

/* Make a system call; Valgrind offers system calls only to its own core. */
static Long ask_system(Long number, Addr from, SizeT length, UWord third)
{
    Long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(from), "S"(length), "d"(third)
                     : "rcx", "r11", "memory");
    return result;
}

Bool memsig_ask_for_page(Addr address)
{
    const Addr page = address >> PAGES_SHIFT;
    UChar there = 1;
    memsig_known_pages[page % PAGES_KNOWN] = (UInt)(page >> PAGES_BITS) + 1;
    return ask_system(__NR_mincore, page << PAGES_SHIFT, PAGE, (UWord)&there) == 0 &&
           (there & 1) == 0;
}

static void forget(Addr address, SizeT length)
{
    Addr page = address >> PAGES_SHIFT, end = (address + length - 1) >> PAGES_SHIFT;
    if (end - page >= PAGES_KNOWN)
        end = page + PAGES_KNOWN - 1;
    for (; length > 0 && page <= end; page++)
        memsig_known_pages[page % PAGES_KNOWN] = 0;
}

static void mapped(Addr address, SizeT length, Bool r, Bool w, Bool x, ULong handle)
{
    (void)r, (void)w, (void)x, (void)handle;
    forget(address, length);
}

static void heap_grows(Addr address, SizeT length, ThreadId tid)
{
    (void)tid;
    forget(address, length);
}

/* Discard the pages of a shrinking heap; Valgrind would keep and clear them. */
static void heap_shrinks(Addr address, SizeT length)
{
    Addr from = VG_ROUNDUP(address, (Addr)PAGE), to = VG_ROUNDUP(address + length, (Addr)PAGE);
    if (from >= to)
        return;
    ask_system(__NR_madvise, from, to - from, DONT_NEED);
    forget(from, to - from);
}

static void before_call(ThreadId tid, UInt number, UWord *arguments, UInt narguments)
{
    (void)tid, (void)number, (void)arguments, (void)narguments;
}

static void after_call(ThreadId tid, UInt number, UWord *arguments, UInt narguments, SysRes result)
{
    (void)tid, (void)narguments, (void)result;
    if (number == __NR_madvise)
        forget(arguments[0], arguments[1]);
}

void memsig_begin_pages(void)
{
    VG_(track_new_mem_mmap)(mapped);
    VG_(track_new_mem_brk)(heap_grows);
    VG_(track_die_mem_brk)(heap_shrinks);
    VG_(needs_syscall_wrapper)(before_call, after_call);
}
