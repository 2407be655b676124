/*
 * format.h - the span log of the I/O stack: what libgptl_probe writes and `gptl iostack` reads.
 * doc/iostack-log.md tells it in words.
 *
 * A log belongs to one layer of one process. It is a header and chunks; a chunk is a head and records
 * of one size. Records are written where they stay, into a mapping of the file, so that a killed
 * process leaves all that it had measured. All numbers are little-endian.
 */
#ifndef GPTL_IOSTACK_FORMAT_H
#define GPTL_IOSTACK_FORMAT_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* 16 bytes, the last one is the literal's NUL. */
#define GPTL_IOSTACK_MAGIC "GPTL-IOSTACK\r\n\032"

enum {
    GPTL_IOSTACK_VERSION = 1,
    GPTL_IOSTACK_ALIGN = 1 << 16, /* chunks begin at multiples of this, behind the header's first */
    GPTL_IOSTACK_MOST_CHUNK = 1 << 24,
    GPTL_IOSTACK_MOST_NAME = 4096
};

/* ---- Header -------------------------------------------------------------------------------- */

/* One moment by three clocks. */
struct gptl_iostack_anchor {
    uint64_t ticks;
    int64_t monotonic; /* nanoseconds of CLOCK_MONOTONIC */
    int64_t wall;      /* nanoseconds since 1970 */
};
static_assert(sizeof(struct gptl_iostack_anchor) == 24, "an anchor's layout");

enum gptl_iostack_flag {
    GPTL_IOSTACK_ENDED = 1,      /* the process ended in order */
    GPTL_IOSTACK_NANOSECONDS = 2 /* a tick is a nanosecond of CLOCK_MONOTONIC */
};

struct gptl_iostack_header {
    char magic[16];
    uint32_t version, header_size, record_size;
    uint32_t layer;
    uint64_t process; /* the half of an id that says which process made it */
    int64_t pid, parent;
    int64_t rank; /* -1: none */
    uint32_t flags;
    uint32_t later_index; /* which of `later` counts; the other one may be half written */
    uint64_t lost;        /* spans for which there was no room */
    uint64_t hidden;      /* starts deeper than the stack of open spans, which have no record */
    struct gptl_iostack_anchor first, later[2];
    double ticks_per_second; /* as it was at the later anchor */
    uint64_t reserved[8];
    char host[256], program[256], node[256]; /* with a NUL */
};
static_assert(sizeof(struct gptl_iostack_header) == 1000, "the header's layout");
static_assert(offsetof(struct gptl_iostack_header, process) == 32, "the header's layout");
static_assert(offsetof(struct gptl_iostack_header, first) == 88, "the header's layout");
static_assert(offsetof(struct gptl_iostack_header, host) == 232, "the header's layout");

/* ---- Chunks -------------------------------------------------------------------------------- */

#define GPTL_IOSTACK_CHUNK_MAGIC UINT64_C(0x6b6e756863736f69) /* "ioschunk" */

struct gptl_iostack_chunk {
    uint64_t magic;
    uint64_t process;
    uint64_t size; /* of the chunk, with this head: a multiple of GPTL_IOSTACK_ALIGN */
    uint32_t layer;
    uint32_t reserved[9];
};
static_assert(sizeof(struct gptl_iostack_chunk) == 64, "a chunk's head");

/* ---- Records ------------------------------------------------------------------------------- */

enum gptl_iostack_kind {
    GPTL_IOSTACK_NONE, /* nothing was written here */
    GPTL_IOSTACK_SPAN,
    GPTL_IOSTACK_END,  /* of a span that began elsewhere: by its number, or by its key */
    GPTL_IOSTACK_NAME, /* number: hash; bytes: length; the text is in the records that follow */
    GPTL_IOSTACK_TEXT,
    GPTL_IOSTACK_DEVICE, /* what one has done so far, see gptl_iostack_device */
    GPTL_IOSTACK_NKINDS
};

enum gptl_iostack_record_flag {
    GPTL_IOSTACK_KEYED = 1, /* key says which span this is, as long as it is open */
    GPTL_IOSTACK_UNDER = 2, /* parent.number is the key of an open span of layer parent.process */
    GPTL_IOSTACK_LEFT = 4,  /* a span around this one ended, and this one never did */
    GPTL_IOSTACK_UNMATCHED = 8, /* an end where no such span was open */
    GPTL_IOSTACK_TIED =
        16, /* another thread has the parent open: the only one there is on the file */
    GPTL_IOSTACK_AMONG = 32 /* nothing was open here, and several were on the file */
};

/* The first half says the process; the second the layer (8 bits), the operation (8), a number. */
struct gptl_iostack_id {
    uint64_t process, number;
};

enum { GPTL_IOSTACK_LAYER_SHIFT = 56, GPTL_IOSTACK_OPERATION_SHIFT = 48 };

struct gptl_iostack_record {
    uint8_t kind, layer, operation, flags;
    uint32_t thread;               /* the kernel's number */
    uint64_t number;               /* of this span's id; the process is in the header */
    struct gptl_iostack_id parent; /* the call above that caused it; all 0: none */
    uint64_t begin, end;           /* in ticks; end 0: it was open */
    int64_t bytes, offset;         /* -1: not known */
    uint64_t node, file;           /* hashes of names; 0: none */
    uint64_t
        key; /* of one that is not KEYED: the opening of the file that `collective` counts in */
    uint64_t collective; /* the number of the collective call on this file that it served, or 0 */
};
static_assert(sizeof(struct gptl_iostack_record) == 96, "a record's layout");

/* A piece of a name. */
struct gptl_iostack_text {
    uint8_t kind, reserved[7];
    char text[88];
};
static_assert(sizeof(struct gptl_iostack_text) == sizeof(struct gptl_iostack_record),
              "a piece takes the place of a record");

/* Accesses that a device has completed since the system began, or that a process has caused. */
struct gptl_iostack_device {
    uint8_t kind, layer, is_process, reserved;
    uint32_t thread;
    uint64_t reads, writes, bytes_read, bytes_written;
    uint64_t busy; /* milliseconds */
    uint64_t when; /* in ticks */
    uint64_t unused[3];
    uint64_t name, unused_key;
};
static_assert(sizeof(struct gptl_iostack_device) == sizeof(struct gptl_iostack_record),
              "it takes the place of a record");

/* FNV-1a, never 0: the number of a name. */
static inline uint64_t gptl_iostack_hash(const char *name, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)name[i]) * UINT64_C(0x100000001b3);
    return hash ? hash : 1;
}

#endif
