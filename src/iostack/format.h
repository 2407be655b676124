/*
 * format.h - the span log of the I/O stack, written by libgptl_probe and read by `gptl iostack`.
 * doc/iostack-log.md describes it in words.
 *
 * A log belongs to one layer of one process. It consists of a header and chunks; a chunk consists
 * of a head and records of equal size. Records are written in place, in a mapping of the file, so
 * that a killed process leaves all its measurements. All numbers are little-endian.
 */
#ifndef GPTL_IOSTACK_FORMAT_H
#define GPTL_IOSTACK_FORMAT_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* 16 bytes, including the NUL of the literal. */
#define GPTL_IOSTACK_MAGIC "GPTL-IOSTACK\r\n\032"

enum {
    GPTL_IOSTACK_VERSION = 1,
    /* chunks start at multiples of this; the first multiple belongs to the header */
    GPTL_IOSTACK_ALIGN = 1 << 16,
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
    GPTL_IOSTACK_ENDED = 1,      /* the process ended normally */
    GPTL_IOSTACK_NANOSECONDS = 2 /* a tick is a nanosecond of CLOCK_MONOTONIC */
};

struct gptl_iostack_header {
    char magic[16];
    uint32_t version, header_size, record_size;
    uint32_t layer;
    uint64_t process; /* process half of the ids */
    int64_t pid, parent;
    int64_t rank; /* -1: unknown */
    uint32_t flags;
    uint32_t later_index; /* valid element of `later`; the other one may be incomplete */
    uint64_t lost;        /* spans lost for lack of space */
    uint64_t hidden;      /* spans without a record, because the stack of open spans was full */
    struct gptl_iostack_anchor first, later[2];
    double ticks_per_second; /* measured at the later anchor */
    uint64_t reserved[8];
    char host[256], program[256], node[256]; /* NUL-terminated */
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
    uint64_t size; /* of the chunk, including this head: a multiple of GPTL_IOSTACK_ALIGN */
    uint32_t layer;
    uint32_t reserved[9];
};
static_assert(sizeof(struct gptl_iostack_chunk) == 64, "a chunk's head");

/* ---- Records ------------------------------------------------------------------------------- */

enum gptl_iostack_kind {
    GPTL_IOSTACK_NONE, /* unused record */
    GPTL_IOSTACK_SPAN,
    GPTL_IOSTACK_END,  /* end of a span that began elsewhere, identified by number or key */
    GPTL_IOSTACK_NAME, /* number: hash; bytes: length; text: in the following records */
    GPTL_IOSTACK_TEXT,
    GPTL_IOSTACK_DEVICE, /* cumulative activity of a device, see gptl_iostack_device */
    GPTL_IOSTACK_NKINDS
};

enum gptl_iostack_record_flag {
    GPTL_IOSTACK_KEYED = 1, /* KEY identifies this span while it is open */
    GPTL_IOSTACK_UNDER = 2, /* parent.number is the key of an open span of layer parent.process */
    GPTL_IOSTACK_LEFT = 4,  /* an enclosing span ended, and this one never did */
    GPTL_IOSTACK_UNMATCHED = 8, /* an end without a matching open span */
    GPTL_IOSTACK_TIED =
        16, /* the parent, the only operation on the file, is open in another thread */
    GPTL_IOSTACK_AMONG = 32 /* without a parent here; the file had several operations */
};

/*
 * The first half identifies the process; the second contains the layer (8 bits), the operation (8
 * bits) and a number.
 */
struct gptl_iostack_id {
    uint64_t process, number;
};

enum { GPTL_IOSTACK_LAYER_SHIFT = 56, GPTL_IOSTACK_OPERATION_SHIFT = 48 };

struct gptl_iostack_record {
    uint8_t kind, layer, operation, flags;
    uint32_t thread; /* thread id of the kernel */
    /* second half of this span's id; the header contains the process */
    uint64_t number;
    struct gptl_iostack_id parent; /* call above that caused it; all 0: none */
    uint64_t begin, end;           /* in ticks; end 0: still open */
    int64_t bytes, offset;         /* -1: unknown */
    uint64_t node, file;           /* hashes of names; 0: none */
    uint64_t key;        /* if not KEYED: the opening of the file, to which `collective` refers */
    uint64_t collective; /* number of the collective call on this file that it serves, or 0 */
};
static_assert(sizeof(struct gptl_iostack_record) == 96, "a record's layout");

/* A piece of a name. */
struct gptl_iostack_text {
    uint8_t kind, reserved[7];
    char text[88];
};
static_assert(sizeof(struct gptl_iostack_text) == sizeof(struct gptl_iostack_record),
              "a piece takes the place of a record");

/* Completed accesses of a device since boot, or accesses caused by a process. */
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

/* Return the FNV-1a hash of a name, which is its number; never 0. */
static inline uint64_t gptl_iostack_hash(const char *name, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)name[i]) * UINT64_C(0x100000001b3);
    return hash ? hash : 1;
}

#endif
