/*
 * format.h - the file format of the I/O call log, for the recorder and the tools.
 *
 * doc/ioc-log.md describes it in words, with the meaning of each number. All numbers are
 * little-endian. A log is a sequence of sections, each appended as a whole by one process; a
 * section is a header followed by blocks.
 */
#ifndef GPTL_IOC_FORMAT_H
#define GPTL_IOC_FORMAT_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "logs of I/O calls are little-endian");

#define GPTL_IOC_MAGIC "\211GPTL-ioc\r\n\032\n \n" /* 16 bytes with its NUL */

enum { GPTL_IOC_VERSION = 3, GPTL_IOC_ALIGN = 16 };

/* ---- Records ------------------------------------------------------------------------------- */

struct gptl_ioc_record {
    uint32_t head; /* type in the lowest 4 bits; the type determines the meaning of the other 28 */
    int32_t fd;
    int64_t data;
};
static_assert(sizeof(struct gptl_ioc_record) == 16, "a record has 128 bits");

enum gptl_ioc_type {
    GPTL_IOC_NONE, /* no record: the rest of the chunk is empty */
    /* A call. The 28 bits: units of time since the preceding record of a call or start. */
    GPTL_IOC_READ,  /* data: bytes, or -errno */
    GPTL_IOC_WRITE, /* data: bytes, or -errno */
    GPTL_IOC_OPEN,  /* fd: the new one, or -errno; data: file number, with 32 bits of flags above */
    GPTL_IOC_CLOSE, /* data: 0 or -errno */
    GPTL_IOC_CREAT, /* like GPTL_IOC_OPEN */
    GPTL_IOC_LSEEK, /* data: the new offset, or -errno */
    GPTL_IOC_FSYNC, /* data: 0 or -errno */
    GPTL_IOC_FTRUNCATE, /* data: the new length, or -errno */
    /*
     * Data of these two: bytes exchanged with the stream, or -errno; other records contain the
     * bytes of the file.
     */
    GPTL_IOC_STDIO_READ,
    GPTL_IOC_STDIO_WRITE,
    GPTL_IOC_STDIO, /* any other stream call; data: its result, or -errno */
    GPTL_IOC_OTHER, /* any other call; data: its result, or -errno */
    /* Additions to the preceding call. */
    GPTL_IOC_EXTENSION, /* the 28 bits: kind in the lowest 4, then 24 bits of value */
    GPTL_IOC_DETAIL,    /* the 28 bits: call path; fd: thread; data: duration in ticks */
    /* No call. */
    GPTL_IOC_START, /* fd: thread; data: absolute time in units; the 28 bits are 0 */
    GPTL_IOC_NTYPES
};
static_assert(GPTL_IOC_NTYPES == 16, "a type has 4 bits");

/* A longer time difference; the extension GPTL_IOC_GAP contains it. */
enum { GPTL_IOC_LONG_GAP = (1 << 28) - 1 };

enum gptl_ioc_extension {
    GPTL_IOC_NAMED = 1, /* value: number of the call; fd, data: arguments, see doc/ioc-log.md */
    GPTL_IOC_AT,        /* value: number of the call; data: its offset argument */
    GPTL_IOC_ASKED,     /* data: requested bytes, if the result differs */
    GPTL_IOC_SECOND,    /* fd: descriptor that received the bytes; data: the offset there, or -1 */
    GPTL_IOC_FILE,      /* data: file number of a path argument; value: its index, from 0 */
    GPTL_IOC_FOUND,     /* fd: a descriptor opened without a record; data: as in GPTL_IOC_OPEN */
    /*
     * fd: a new descriptor; data: as in GPTL_IOC_OPEN; value 1: a duplicate of the record's fd,
     * with a common offset
     */
    GPTL_IOC_MADE,
    GPTL_IOC_GONE,     /* this call closed the descriptors from fd to data */
    GPTL_IOC_POSITION, /* fd: as in GPTL_IOC_FOUND; data: its offset before this call */
    GPTL_IOC_GAP       /* data: units of time since the preceding record of a call or start */
};

static inline enum gptl_ioc_type gptl_ioc_type(const struct gptl_ioc_record *r)
{
    return (enum gptl_ioc_type)(r->head & 15);
}

/* Return the time difference of a call, or the call path of a detail. */
static inline uint32_t gptl_ioc_bits(const struct gptl_ioc_record *r)
{
    return r->head >> 4;
}

/* For extensions. */
static inline enum gptl_ioc_extension gptl_ioc_kind(const struct gptl_ioc_record *r)
{
    return (enum gptl_ioc_extension)(r->head >> 4 & 15);
}

static inline uint32_t gptl_ioc_value(const struct gptl_ioc_record *r)
{
    return r->head >> 8;
}

/* ---- Sections ------------------------------------------------------------------------------ */

enum gptl_ioc_flag {
    GPTL_IOC_UNLOCKED = 1,     /* the file could not be locked: sections may be interleaved */
    GPTL_IOC_DETAILED = 2,     /* each call has a GPTL_IOC_DETAIL */
    GPTL_IOC_ALL_KINDS = 4,    /* also sockets, pipes, terminals, devices */
    GPTL_IOC_FORKED = 8,       /* the process was forked from another recorded process */
    GPTL_IOC_BEFORE_EXEC = 16, /* written because the process is about to execute another program */
    GPTL_IOC_WRITTEN_OUT = 32, /* written because memory was full; the process continues */
    GPTL_IOC_SALVAGED = 64,    /* written by a tool, because the process was killed */
    GPTL_IOC_CONFINED = 128    /* a system call filter was installed: children are not recorded */
};

struct gptl_ioc_header {
    char magic[16];
    uint32_t version;
    uint32_t header_size;
    uint64_t section_size; /* bytes, including the header */
    uint32_t crc;          /* CRC-32 of the header, computed with 0 here */
    uint32_t flags;        /* enum gptl_ioc_flag */
    uint32_t nblocks;
    uint32_t part; /* 0 for the first section of a process, then 1, 2, … */
    int64_t pid, parent;
    int64_t rank; /* -1: none */
    /* The times of the first call and of writing, both in ticks and in nanoseconds since 1970. */
    uint64_t start_ticks, end_ticks;
    int64_t start_wall, end_wall;
    double ticks_per_second;
    uint32_t unit_shift; /* a unit of time is 1 << unit_shift ticks */
    uint32_t lock_errno; /* reason why the file could not be locked, or 0 */
    uint64_t memory;     /* bytes of memory for records */
    uint64_t calls;      /* number in this section */
    uint64_t lost;       /* calls that are in no section, since the preceding section */
    uint64_t reserved[14];
};
static_assert(sizeof(struct gptl_ioc_header) == 256, "the header's layout");
static_assert(sizeof(struct gptl_ioc_header) % GPTL_IOC_ALIGN == 0, "blocks are aligned");
static_assert(offsetof(struct gptl_ioc_header, crc) == 32, "the header's layout");
static_assert(offsetof(struct gptl_ioc_header, pid) == 48, "the header's layout");
static_assert(offsetof(struct gptl_ioc_header, unit_shift) == 112, "the header's layout");

/* Head of each block. Zeros after the content fill up to a multiple of GPTL_IOC_ALIGN. */
struct gptl_ioc_block {
    uint32_t type; /* enum gptl_ioc_block_type; readers skip unknown types */
    uint32_t crc;  /* CRC-32 of this head, computed with 0 here, and the content */
    uint64_t size; /* of the content, in bytes */
};
static_assert(sizeof(struct gptl_ioc_block) == 16, "a block's head");

enum gptl_ioc_block_type {
    GPTL_IOC_PROCESS =
        1, /* texts, each with a NUL: host=… program=… directory=… argument=… note=… */
    GPTL_IOC_CALLS,       /* struct gptl_ioc_name: names of the call numbers in NAMED and AT */
    GPTL_IOC_FILES,       /* struct gptl_ioc_file */
    GPTL_IOC_DESCRIPTORS, /* array of struct gptl_ioc_descriptor */
    GPTL_IOC_UNSEEN,      /* struct gptl_ioc_name: imported calls that are not recorded */
    GPTL_IOC_PATHS,       /* struct gptl_ioc_name: call paths, each after its parent */
    GPTL_IOC_CHUNK        /* consecutive records of one thread; the first is GPTL_IOC_START */
};

/* Followed by `size` bytes of name without a NUL, and zeros up to a multiple of 8. */
struct gptl_ioc_name {
    uint32_t number;
    uint32_t parent; /* of a call path: the number of its parent; otherwise 0 */
    uint32_t size;
    uint32_t reserved;
};
static_assert(sizeof(struct gptl_ioc_name) == 16, "a name's layout");

enum gptl_ioc_file_kind {
    GPTL_IOC_UNKNOWN, /* named, but never open */
    GPTL_IOC_REGULAR,
    GPTL_IOC_DIRECTORY,
    GPTL_IOC_PIPE,
    GPTL_IOC_SOCKET,
    GPTL_IOC_TERMINAL,
    GPTL_IOC_DEVICE,
    GPTL_IOC_ANONYMOUS /* not a file: eventfd, epoll, … */
};

/* Followed by `name_size` bytes of the path as given by the program, and zeros as above. */
struct gptl_ioc_file {
    uint32_t number; /* from 1 */
    /*
     * Number of the directory that a relative path starts from, 0: unknown; of an absolute path:
     * number of the root, 0: the initial one.
     */
    uint32_t base;
    uint64_t device, inode;
    uint64_t birth; /* creation time of the inode, nanoseconds since 1970; 0: unknown */
    int64_t size;   /* bytes when first seen; -1: unknown */
    uint32_t kind;
    uint32_t name_size;
};
static_assert(sizeof(struct gptl_ioc_file) == 48, "a file's layout");

/* A descriptor that was open before the first record of the section. */
struct gptl_ioc_descriptor {
    int32_t fd;
    uint32_t file;
    int64_t offset; /* -1: unknown */
    uint32_t flags; /* O_APPEND and so on */
    uint32_t reserved;
};
static_assert(sizeof(struct gptl_ioc_descriptor) == 24, "a descriptor's layout");

#endif
