/*
 * streams.c - the system calls that streams (stdio) make inside libc.
 *
 * A wrapper of fwrite or putc cannot know which bytes reach a file, and when: putc stores into the
 * buffer inline, and error, perror, getline and exit read and write it inside libc. But every file
 * stream reaches the system through the read, write, seek and close entries of its function table.
 * glibc rejects streams with a foreign table, so the entries of glibc's own tables are replaced at
 * load. The tables are recognized by their content: these functions are exported, and no other
 * place has the first three in this order.
 */
#include "config.h"

#include "posix/streams.h"

#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <sys/auxv.h>

#include "posix/fds.h"
#include "posix/follow.h"
#include "posix/next.h"
#include "posix/offer.h"
#include "posix/raw.h"
#include "posix/setup.h"

bool gptl_posix_streams_are_seen;

__thread struct gptl_posix_thread_streams gptl_posix_thread_streams
    __attribute__((tls_model("initial-exec")));

/* ---- Replacements of libc's functions -------------------------------------------------------- */

static void told(const struct gptl_posix_following *w, enum gptl_posix_type type, unsigned call,
                 const FILE *f, int64_t result, int64_t asked, uint64_t start)
{
    int error = errno, fd = f->_fileno;
    if (!gptl_posix_is_active() || gptl_posix_thread_streams.own)
        return;
    struct gptl_posix_event event = gptl_posix_event(type, call, fd, result, start);
    event.has_asked = asked >= 0 && result != asked;
    event.asked = asked;
    if (type != GPTL_POSIX_LSEEK)
        gptl_posix_followed(w, &event, fd, type == GPTL_POSIX_WRITE);
    if (gptl_posix_identify(&event, fd)) {
        if (type != GPTL_POSIX_LSEEK && !w->is_followed && !gptl_posix_is_short(fd))
            gptl_posix_place(&event, fd, -1);
        for (const struct gptl_posix_sink *const *s = gptl_posix_active; *s; s++)
            if ((*s)->streamed)
                (*s)->streamed(&event);
        gptl_posix_leave_again();
    }
    errno = error;
}

static struct gptl_posix_following begin(const FILE *f)
{
    struct gptl_posix_following w = {.is_followed = false};
    if (gptl_posix_is_others(f->_fileno))
        gptl_posix_follow(&w, f->_fileno);
    return w;
}

static ssize_t stream_read(FILE *f, void *to, ssize_t n)
{
    struct gptl_posix_following w = begin(f);
    uint64_t start = gptl_posix_start();
    ssize_t result = gptl_posix_next._IO_file_read(f, to, n);
    told(&w, GPTL_POSIX_READ, GPTL_CALL__IO_file_read, f, result, n, start);
    return result;
}

/* After an error, the next function returns the bytes written before it. */
static ssize_t stream_write(FILE *f, const void *from, ssize_t n)
{
    struct gptl_posix_following w = begin(f);
    uint64_t start = gptl_posix_start();
    ssize_t result = gptl_posix_next._IO_file_write(f, from, n);
    gptl_posix_thread_streams.writes++;
    told(&w, GPTL_POSIX_WRITE, GPTL_CALL__IO_file_write, f, result == 0 && n > 0 ? -1 : result, n,
         start);
    return result;
}

static off64_t stream_seek(FILE *f, off64_t at, int whence)
{
    struct gptl_posix_following w = {.is_followed = false};
    uint64_t start = gptl_posix_start();
    if (gptl_posix_entry(f->_fileno))
        (void)gptl_posix_is_others(f->_fileno);
    off64_t result = gptl_posix_next._IO_file_seek(f, at, whence);
    /*
     * A seek by fopen for appending is not reported: its descriptor is unknown before fopen
     * returns.
     */
    if (gptl_posix_entry(f->_fileno))
        told(&w, GPTL_POSIX_LSEEK, GPTL_CALL__IO_file_seek, f, result, -1, start);
    return result;
}

/*
 * Not reported here: if the program closes the stream, the wrapper of that call reports it. perror
 * also closes a stream.
 */
static int stream_close(FILE *f)
{
    gptl_posix_take(f->_fileno);
    gptl_posix_thread_streams.closes++;
    return gptl_posix_next._IO_file_close(f);
}

/* ---- The tables ------------------------------------------------------------------------------ */

/* Entries of struct _IO_jump_t, in the same order since glibc 2.1. */
enum { READ, WRITE, SEEK, CLOSE, NENTRIES };

typedef uintptr_t word __attribute__((may_alias));

struct area {
    uintptr_t begin, end;
};

/* Find the relocated read-only data of the object that defines the next _IO_file_read. */
static int find_area(struct dl_phdr_info *info, size_t size, void *to)
{
    struct area *area = to;
    uintptr_t function = (uintptr_t)gptl_posix_next._IO_file_read;
    bool is_here = false;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        is_here |= p->p_type == PT_LOAD && function - info->dlpi_addr - p->p_vaddr < p->p_memsz;
    }
    for (int i = 0; i < info->dlpi_phnum && is_here; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_GNU_RELRO)
            *area = (struct area){info->dlpi_addr + p->p_vaddr,
                                  info->dlpi_addr + p->p_vaddr + p->p_memsz};
    }
    return is_here;
}

static bool is_table(const word *w)
{
    return w[READ] == (uintptr_t)gptl_posix_next._IO_file_read &&
           w[WRITE] == (uintptr_t)gptl_posix_next._IO_file_write &&
           w[SEEK] == (uintptr_t)gptl_posix_next._IO_file_seek;
}

static void replace(word *w)
{
    __atomic_store_n(&w[READ], (uintptr_t)stream_read, __ATOMIC_RELAXED);
    __atomic_store_n(&w[WRITE], (uintptr_t)stream_write, __ATOMIC_RELAXED);
    __atomic_store_n(&w[SEEK], (uintptr_t)stream_seek, __ATOMIC_RELAXED);
    if (w[CLOSE] == (uintptr_t)gptl_posix_next._IO_file_close)
        __atomic_store_n(&w[CLOSE], (uintptr_t)stream_close, __ATOMIC_RELAXED);
}

void gptl_posix_watch_streams(void)
{
    struct area area = {0, 0};
    uintptr_t first = 0, last = 0, page = (uintptr_t)getauxval(AT_PAGESZ);
    dl_iterate_phdr(find_area, &area);
    for (uintptr_t at = area.begin; at + NENTRIES * sizeof(word) <= area.end; at += sizeof(word))
        if (is_table((const word *)at)) {
            first = first ? first : at;
            last = at + NENTRIES * sizeof(word);
        }
    if (first == 0)
        return;
    uintptr_t from = first / page * page, size = (last - from + page - 1) / page * page;
    if (gptl_kernel_call(SYS_mprotect, from, size, PROT_READ | PROT_WRITE) != 0)
        return;
    for (uintptr_t at = first; at < last; at += sizeof(word))
        if (is_table((const word *)at))
            replace((word *)at);
    /* The last page of the area may also hold variables: the dynamic linker left it writable. */
    uintptr_t constant = area.end / page * page;
    gptl_posix_streams_are_seen = true;
    if (from < constant)
        gptl_kernel_call(SYS_mprotect, from,
                         (from + size < constant ? from + size : constant) - from, PROT_READ);
}
