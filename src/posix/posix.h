/*
 * posix.h - the layer between the program and libc's I/O functions: it reports each call to sinks.
 *
 * A sink receives a call after the call returns. Its functions must be safe in signal handlers, in
 * any thread, and in a child of fork. They call no wrapped function (raw.h offers replacements),
 * and only `event` may change errno.
 */
#ifndef GPTL_POSIX_POSIX_H
#define GPTL_POSIX_POSIX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The values equal the log's record types; the first eight are the types of the paper. */
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

/* A call with more details than the shorter reports below can express. */
struct gptl_posix_event {
    enum gptl_posix_type type;
    unsigned call; /* its number, or 0: the plain call of its type */
    int fd;        /* of open and creat: their result, or -errno */
    int64_t data;  /* the result, or -errno; of open and creat: file and flags */
    uint64_t start;

    bool has_at, has_asked, has_second, has_gone, has_made, made_is_duplicate;
    unsigned nfiles, nfound, npositions;
    int arg;           /* argument of a call with a number … */
    int64_t value;     /* … its second argument or, with has_at, the offset */
    int64_t asked;     /* requested bytes */
    int second;        /* descriptor that received the bytes … */
    int64_t second_at; /* … and the offset there, or -1 */
    int gone, gone_last;
    int made;
    uint64_t made_file; /* file number, flags above it */
    uint32_t files[2];  /* files named by the call */
    struct gptl_posix_found {
        int fd;
        uint64_t file; /* file number, flags above it */
    } found[2];        /* descriptors opened without a wrapper */
    struct {
        int fd;
        int64_t offset; /* offset of its first byte, or -1: unknown */
    } positions[2];     /* of descriptors with a shared offset */
};

struct gptl_posix_file;

/* START is the counter reading before the call (gptl_posix_start), or 0 if no sink wants it. */
struct gptl_posix_sink {
    /* Called at load. Returns the sink that wants calls (itself or a variant), or NULL. */
    const struct gptl_posix_sink *(*setup)(char **environment);
    /* The plain call of its type, which transferred the requested bytes. */
    void (*plain)(enum gptl_posix_type type, int fd, int64_t data, uint64_t start);
    /* A plain call that transferred fewer bytes than ASKED. */
    void (*fewer)(enum gptl_posix_type type, int fd, int64_t data, int64_t asked, uint64_t start);
    /* Like plain, with the call's number; `at` also has the offset. */
    void (*named)(enum gptl_posix_type type, unsigned call, int fd, int64_t data, uint64_t start);
    void (*at)(enum gptl_posix_type type, unsigned call, int fd, int64_t data, int64_t offset,
               uint64_t start);
    /* A call with its number and two arguments. */
    void (*with)(enum gptl_posix_type type, unsigned call, int fd, int64_t data, int argument,
                 int64_t value, uint64_t start);
    /* A call that may be merged with an equal preceding one: BYTES more. */
    void (*joined)(enum gptl_posix_type type, unsigned call, int fd, int64_t bytes);
    void (*event)(const struct gptl_posix_event *event);
    /* Like event, for a system call made by a stream; or NULL. */
    void (*streamed)(const struct gptl_posix_event *event);
    /* A name is new or has new properties. Called before calls that use its number. */
    void (*file)(struct gptl_posix_file *file);
    /* The process will end, or execute another program (which may fail). */
    void (*leave)(bool for_exec);
    void (*child)(void); /* this is a new process, by fork */
    /*
     * This thread enters vfork: its next calls, fast paths included, must check
     * gptl_posix_is_active. BEGINS false: vfork has returned. Or NULL.
     */
    void (*pause)(bool begins);
    /*
     * From now on, no system call is allowed, since a filter may end the process for it. BEGINS
     * false: the restriction is lifted. Or NULL.
     */
    void (*seal)(bool begins);
    /* The program is about to lock all memory: the sink must free its reserve. Or NULL. */
    void (*bound)(void);
    /* The process will drop privileges or change its root; or NULL. */
    void (*confine)(void);
};

/* Defined once in each library; ends with NULL. */
extern const struct gptl_posix_sink *const gptl_posix_sinks[];

/* ---- Requests of sinks in setup -------------------------------------------------------------- */

/* Report also calls on pipes, sockets, terminals and devices. */
void gptl_posix_want_all_kinds(void);
/* Read the counter before each call. */
void gptl_posix_want_start(void);
/* Limit the memory of file names to BYTES. */
void gptl_posix_limit_names(size_t bytes);

/* ---- Functions that sinks may call ----------------------------------------------------------- */

/*
 * Report to all sinks that this is a new process. A sink calls it when it detects a process that
 * was created without a wrapped fork.
 */
void gptl_posix_child(void);

/* ---- Data that sinks may read ---------------------------------------------------------------- */

/* True if system calls made by streams are reported to the sinks. */
extern bool gptl_posix_streams_are_seen;

const char *gptl_posix_call_name(unsigned call);
unsigned gptl_posix_ncalls(void);

/* A file name in use; never freed, and never changed except for its kind. */
struct gptl_posix_file {
    _Atomic(struct gptl_posix_file *) below[4]; /* in the tree of names */
    uint32_t hash, base, name_size, number;     /* the fields of a search are adjacent */
    struct gptl_posix_file *next;               /* list of all names, newest first */
    uint64_t device, inode, birth;              /* identity; birth: nanoseconds since 1970, or 0 */
    int64_t size;
    _Atomic uint32_t settled; /* 0: identity unknown, 1: a thread sets it, 2: known */
    _Atomic uint32_t others;  /* number of later files with this name */
    bool is_other;            /* one of these */
    void *kept;               /* the recorder's copy, or NULL */
    uint32_t kind;
    char name[];
};
const struct gptl_posix_file *gptl_posix_files(void);
/* Return the number of names that were dropped because of the memory limit. */
uint64_t gptl_posix_files_unnamed(void);

/*
 * Return true if PATH, from the root, belongs to the system: programs inspect many of these files
 * and keep no data there.
 */
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

/* A descriptor's entry: its file number with its kind above it, or 0: unknown. */
enum { GPTL_POSIX_NFDS = 1 << 18, GPTL_POSIX_FILE_BITS = 26, GPTL_POSIX_KIND_SHIFT = 27 };
#define GPTL_POSIX_FILE_MASK ((1u << GPTL_POSIX_FILE_BITS) - 1)
extern struct gptl_posix_fd {
    uint32_t entry;
    uint32_t owner; /* the only thread that moves its offset, 0: none yet, or GPTL_POSIX_SHARED */
} gptl_posix_fds[GPTL_POSIX_NFDS];
/* Return the end of the used part of gptl_posix_fds: all higher descriptors are unknown. */
int gptl_posix_fds_end(void);

/*
 * Call TELL for each imported I/O function without a wrapper, with the importing object. The
 * program's own object is "". Takes the dynamic linker's lock: only for setup.
 */
void gptl_posix_unseen(void (*tell)(void *arg, const char *object, const char *call), void *arg);

#endif
