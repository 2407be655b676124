/*
 * salvage.h - the file that preserves a recorder's memory when its process is killed.
 *
 * It is that memory, mapped shared: this header, followed by areas. It contains only data that is
 * recorded anyway. From it, a tool creates the section that the process could not write. Only the
 * release that wrote a file can read it.
 */
#ifndef GPTL_IOC_SALVAGE_H
#define GPTL_IOC_SALVAGE_H

#include <stdatomic.h>
#include <stdint.h>

#include "ioc/format.h"
#include "ioc/ring.h"

#define GPTL_IOC_SALVAGE_PREFIX "gptl-salvage-io."    /* of its name; host and process id follow */
#define GPTL_IOC_SALVAGE_MAGIC "GPTLsalv-ioc\r\n\032" /* 16 bytes with its NUL */

enum { GPTL_IOC_SALVAGE_VERSION = 2, GPTL_IOC_SALVAGE_ALIGN = 65536 };

struct gptl_ioc_area {
    uint64_t at, size; /* in the file, in bytes */
};

struct gptl_ioc_salvage {
    char magic[16]; /* stored last */
    uint32_t version, slot_size;
    uint64_t size; /* of the file in bytes, with holes */
    struct gptl_ioc_area slots, texts, base, names, ring;
    /*
     * Sizes of the block contents that are consecutive in the area of texts; the calls include
     * unused ones.
     */
    uint64_t process_size, calls_size, unseen_size;
    struct gptl_ioc_header section; /* of the next section, without values known only at writing */
    char log[4096];

    /* Changes while recording. */
    atomic_ullong next_slot; /* number of chunks taken so far */
    atomic_ullong lost;      /* calls since the last section */
    atomic_ullong names_used;
    atomic_flag base_changing;
    atomic_int base_end; /* descriptors from here on are unchanged since the start */
    /* A time after the start, in ticks and nanoseconds of the same clocks. */
    uint64_t latest_ticks, latest_nanoseconds;
    uint64_t start_nanoseconds;
    /* While a section is written: its offset in the log, its size, and its number of lost calls. */
    uint64_t writing_at, writing_size, writing_lost;
    uint32_t is_short;  /* the file ran out of space */
    uint32_t is_in_log; /* before an exec: everything is also in the log */
};

/* The file and offset of a descriptor before the oldest record in memory. */
struct gptl_ioc_open {
    uint64_t time; /* of the record with this state */
    int64_t offset;
    uint32_t file, flags;
    uint64_t reserved;
};

/*
 * Mark of an entry in the area of names, at a multiple of 8; stored last. The content follows, as
 * in the log's block.
 */
enum gptl_ioc_entry_mark { GPTL_IOC_ENTRY_FILE = 0x656c6966, GPTL_IOC_ENTRY_PATH = 0x68746170 };

struct gptl_ioc_entry {
    uint32_t mark, size; /* of the content */
};

#endif
