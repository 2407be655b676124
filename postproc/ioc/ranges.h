/* ranges.h - which bytes of a file were touched, and by whom last. All 0 is an empty one. */
#ifndef GPTL_POSTPROC_IOC_RANGES_H
#define GPTL_POSTPROC_IOC_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct range {
    int64_t begin, end;
    uint32_t who;
};

struct ranges {
    struct range *ranges; /* in order, none touches another of the same WHO */
    size_t n, room;
    bool is_full; /* some are left out: what is found is a lower bound */
};

/* Bytes from BEGIN to END are WHO's now, unless MOST ranges are there. Returns how many were there. */
uint64_t ranges_add(struct ranges *ranges, int64_t begin, int64_t end, uint32_t who, size_t most);
/* Bytes from BEGIN to END are nobody's. One that this would split goes as a whole if MOST are there. */
void ranges_remove(struct ranges *ranges, int64_t begin, int64_t end, size_t most);
/* How many of these bytes are another's than WHO's. */
uint64_t ranges_of_others(const struct ranges *ranges, int64_t begin, int64_t end, uint32_t who);
uint64_t ranges_bytes(const struct ranges *ranges);
void ranges_free(struct ranges *ranges);

#endif
