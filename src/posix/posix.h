/*
 * posix.h - the room that stands between the program and libc's I/O: it offers each call to sinks.
 *
 * A sink is told of a call when it has returned. It must be safe in signal handlers, in any thread,
 * and in a child of fork; it calls no function that this room stands in front of (raw.h has what it
 * needs), and may change errno only in `event`.
 */
#ifndef GPTL_POSIX_POSIX_H
#define GPTL_POSIX_POSIX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* In the order of the log's record types, which are what the first eight are in the paper. */
enum gptl_posix_type {
    GPTL_POSIX_READ = 1,
    GPTL_POSIX_WRITE,
    GPTL_POSIX_OPEN,
    GPTL_POSIX_CLOSE,
    GPTL_POSIX_CREAT,
    GPTL_POSIX_LSEEK,
    GPTL_POSIX_FSYNC,
    GPTL_POSIX_FTRUNCATE,
    GPTL_POSIX_STDIO_READ,
    GPTL_POSIX_STDIO_WRITE,
    GPTL_POSIX_STDIO,
    GPTL_POSIX_OTHER
};

enum gptl_posix_kind {
    GPTL_POSIX_UNKNOWN,
    GPTL_POSIX_REGULAR,
    GPTL_POSIX_DIRECTORY,
    GPTL_POSIX_PIPE,
    GPTL_POSIX_SOCKET,
    GPTL_POSIX_TERMINAL,
    GPTL_POSIX_DEVICE,
    GPTL_POSIX_ANONYMOUS
};

/* What a call was, when it is more than one of the short forms below can say. */
struct gptl_posix_event {
    enum gptl_posix_type type;
    unsigned call; /* its number, or 0: the plain one of its type */
    int fd;        /* of open and creat: their result, or -errno */
    int64_t data;  /* the result, or -errno; of open and creat: file and flags */
    uint64_t start;

    bool has_at, has_asked, has_second, has_gone, has_made, made_is_duplicate;
    unsigned nfiles, nfound, npositions;
    int arg;           /* of a call with a number … */
    int64_t value;     /* … or, with has_at, the offset */
    int64_t asked;     /* bytes asked for */
    int second;        /* descriptor that the bytes went to … */
    int64_t second_at; /* … and the offset there, or -1 */
    int gone, gone_last;
    int made;
    uint64_t made_file; /* file number, flags above it */
    uint32_t files[2];  /* that it names */
    struct gptl_posix_found {
        int fd;
        uint64_t file; /* file number, flags above it */
    } found[2];        /* descriptors that had been opened unseen */
    struct {
        int fd;
        int64_t offset; /* where its bytes began, or -1: nobody knows */
    } positions[2];     /* of descriptors whose offset others move as well */
};

struct gptl_posix_file;

/* START is what gptl_posix_clock said before the call, or 0 if no sink wants that. */
struct gptl_posix_sink {
    /* At load. Returns the sink that wants calls, itself or another like it, or NULL. */
    const struct gptl_posix_sink *(*setup)(char **environment);
    /* The plain call of its type, which did what it was asked for. */
    void (*plain)(enum gptl_posix_type type, int fd, int64_t data, uint64_t start);
    /* One that moved fewer bytes than ASKED. */
    void (*fewer)(enum gptl_posix_type type, int fd, int64_t data, int64_t asked, uint64_t start);
    /* The same as plain, with a number; and with an offset. */
    void (*named)(enum gptl_posix_type type, unsigned call, int fd, int64_t data, uint64_t start);
    void (*at)(enum gptl_posix_type type, unsigned call, int fd, int64_t data, int64_t offset,
               uint64_t start);
    /* With a number, and two arguments of it. */
    void (*with)(enum gptl_posix_type type, unsigned call, int fd, int64_t data, int argument,
                 int64_t value, uint64_t start);
    /* One that may be joined with the same before it: BYTES more. */
    void (*joined)(enum gptl_posix_type type, unsigned call, int fd, int64_t bytes);
    void (*event)(const struct gptl_posix_event *event);
    /* The same of a call that a stream made of the system; or NULL. */
    void (*streamed)(const struct gptl_posix_event *event);
    /* A name is new, or more is known of it; before calls that have its number. */
    void (*file)(struct gptl_posix_file *file);
    /* The process is about to end, or to become another program (which may fail). */
    void (*leave)(bool for_exec);
    void (*child)(void); /* this is a new process, by fork */
    /*
     * This thread enters vfork: its next calls must be asked for by gptl_posix_is_active, in the short ways
     * as well; with false it has come back. Or NULL.
     */
    void (*pause)(bool begins);
    /*
     * From now on, no system call may be made, since a filter may end the process for it; with false that is
     * over. Or NULL.
     */
    void (*seal)(bool begins);
    /* All memory is about to be locked: what is reserved for later must go. Or NULL. */
    void (*bound)(void);
    /* The process is about to give up rights, or to change its root; or NULL. */
    void (*confine)(void);
};

/* Defined once for the library; ends with NULL. */
extern const struct gptl_posix_sink *const gptl_posix_sinks[];

/* ---- What sinks may ask for in setup --------------------------------------------------------- */

/* Also what is no file: pipes, sockets, terminals, devices. */
void gptl_posix_want_all_kinds(void);
/* The time before each call. */
void gptl_posix_want_start(void);
/* The most bytes that names of files may take. */
void gptl_posix_limit_names(size_t bytes);

/* ---- What they may do ------------------------------------------------------------------------ */

/* Tells all sinks that this is a new process. One may find that out that no call of fork made. */
void gptl_posix_child(void);

/* ---- What they may read ---------------------------------------------------------------------- */

/* Whether sinks are told of the calls that streams make of the system. */
extern bool gptl_posix_streams_are_seen;

const char *gptl_posix_call_name(unsigned call);
unsigned gptl_posix_ncalls(void);

/* A name under which a file was used; they are never freed nor changed, but for the kind. */
struct gptl_posix_file {
    _Atomic(struct gptl_posix_file *) below[4]; /* in the tree of names */
    uint32_t hash, base, name_size, number;     /* what a search reads lies together */
    struct gptl_posix_file *next;               /* all of them, the newest first */
    uint64_t device, inode, birth; /* what it stands for; birth: nanoseconds since 1970, or 0 */
    int64_t size;
    _Atomic uint32_t settled; /* 0: not known what it stands for, 1: a thread is at it, 2: known */
    _Atomic uint32_t others;  /* files that this name has stood for later */
    bool is_other;            /* one of these */
    void *kept;               /* the recorder's copy, or NULL */
    uint32_t kind;
    char name[];
};
const struct gptl_posix_file *gptl_posix_files(void);
/* Names that are not kept, because they would take too much. */
uint64_t gptl_posix_files_unnamed(void);

/* Whether PATH, from the root, is the system's: programs look at much of it, and keep no data there. */
static inline bool gptl_posix_is_of_system(const char *path)
{
    static const char *const folders[] = {"/proc/", "/sys/", "/dev/",   "/etc/",  "/usr/",
                                          "/bin/",  "/lib/", "/lib64/", "/sbin/", "/run/"};
    while (path[0] == '/' && path[1] == '/')
        path++;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (path[0] == '/' && path[1] == folders[i][1] &&
            strncmp(path, folders[i], strlen(folders[i])) == 0)
            return true;
    return false;
}

/* The file number of a descriptor with its kind above it, or 0: nothing is known of it. */
enum { GPTL_POSIX_NFDS = 1 << 18, GPTL_POSIX_FILE_BITS = 26, GPTL_POSIX_KIND_SHIFT = 27 };
#define GPTL_POSIX_FILE_MASK ((1u << GPTL_POSIX_FILE_BITS) - 1)
extern struct gptl_posix_fd {
    uint32_t entry;
    uint32_t owner; /* the one thread that moves its offset, 0: none yet, or GPTL_POSIX_SHARED */
} gptl_posix_fds[GPTL_POSIX_NFDS];
/* All below this are unknown from here on. */
int gptl_posix_fds_end(void);

/*
 * Tells of each call for I/O that an object, which is loaded now, imports and that has no wrapper. The
 * program's own object is "". Takes the dynamic linker's lock: only for setup.
 */
void gptl_posix_unseen(void (*tell)(void *arg, const char *object, const char *call), void *arg);

#endif
