/*
 * ranges.h - accessed byte ranges of a file, each with the process that accessed it last. All 0 is
 * empty.
 */
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
    struct range *ranges; /* sorted; ranges of the same WHO do not touch */
    size_t n, room;
    bool is_full; /* ranges were dropped: results are lower bounds */
};

/*
 * Assign the bytes from BEGIN to END to WHO, unless there are MOST ranges. Returns how many of the
 * bytes were present.
 */
uint64_t ranges_add(struct ranges *ranges, int64_t begin, int64_t end, uint32_t who, size_t most);
/*
 * Remove the bytes from BEGIN to END. If MOST ranges exist, a range that would be split is removed
 * as a whole.
 */
void ranges_remove(struct ranges *ranges, int64_t begin, int64_t end, size_t most);
/* Return how many of these bytes are assigned to processes other than WHO. */
uint64_t ranges_of_others(const struct ranges *ranges, int64_t begin, int64_t end, uint32_t who);
uint64_t ranges_bytes(const struct ranges *ranges);
void ranges_free(struct ranges *ranges);

#endif
