/*
 * salvage.h - the file that keeps a recorder's memory when its process is killed.
 *
 * It is that memory, mapped shared: this header, and areas behind it. Nothing is written besides what
 * is recorded anyway. A tool makes of it the section that the process could not write. The file is
 * private to the release that wrote it.
 */
#ifndef GPTL_IOC_SALVAGE_H
#define GPTL_IOC_SALVAGE_H

#include <stdatomic.h>
#include <stdint.h>

#include "ioc/format.h"
#include "ioc/ring.h"

#define GPTL_IOC_SALVAGE_PREFIX "gptl-salvage-io."    /* of its name; host and process id follow */
#define GPTL_IOC_SALVAGE_MAGIC "GPTLsalv-ioc\r\n\032" /* with its NUL 16 bytes */

enum { GPTL_IOC_SALVAGE_VERSION = 2, GPTL_IOC_SALVAGE_ALIGN = 65536 };

struct gptl_ioc_area {
    uint64_t at, size; /* in the file */
};

struct gptl_ioc_salvage {
    char magic[16]; /* stored last */
    uint32_t version, slot_size;
    uint64_t size; /* of the file, with holes */
    struct gptl_ioc_area slots, texts, base, names, ring;
    /* One after another in the area of texts: what the blocks of these types hold; of calls all. */
    uint64_t process_size, calls_size, unseen_size;
    struct gptl_ioc_header section; /* the next one's, without what is known when it is written */
    char log[4096];

    /* What changes. */
    atomic_ullong next_slot; /* how many chunks have been taken */
    atomic_ullong lost;      /* calls, since the last section */
    atomic_ullong names_used;
    atomic_flag base_changing;
    atomic_int base_end; /* descriptors from here on are as they were at the start */
    /* A later moment than the start, in ticks and nanoseconds of the same clocks. */
    uint64_t latest_ticks, latest_nanoseconds;
    uint64_t start_nanoseconds;
    /* While a section is written: where in the log, its size, and the calls that it says are lost. */
    uint64_t writing_at, writing_size, writing_lost;
    uint32_t is_short;  /* the file had no more room */
    uint32_t is_in_log; /* all that is in it, before an exec: nothing is lost with the file */
};

/* The file of a descriptor that was open before the first record, and its offset. */
struct gptl_ioc_open {
    uint64_t time; /* of the record that made it so */
    int64_t offset;
    uint32_t file, flags;
    uint64_t reserved;
};

/* In the area of names, at multiples of 8; stored last. What follows is as in the log's block. */
enum gptl_ioc_entry_mark { GPTL_IOC_ENTRY_FILE = 0x656c6966, GPTL_IOC_ENTRY_PATH = 0x68746170 };

struct gptl_ioc_entry {
    uint32_t mark, size; /* of what follows */
};

#endif
