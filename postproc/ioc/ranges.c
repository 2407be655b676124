/* ranges.c - accessed byte ranges of a file. */
#include "config.h"

#include "postproc/ioc/ranges.h"

#include <stdlib.h>
#include <string.h>

#include "postproc/ioc/memory.h"

static int64_t overlap(const struct range *range, int64_t begin, int64_t end)
{
    int64_t from = range->begin > begin ? range->begin : begin;
    int64_t to = range->end < end ? range->end : end;
    return to > from ? to - from : 0;
}

/* Return the index of the first range that ends after AT. */
static size_t first_behind(const struct ranges *ranges, int64_t at)
{
    size_t low = 0, high = ranges->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranges->ranges[middle].end > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

uint64_t ranges_add(struct ranges *ranges, int64_t begin, int64_t end, uint32_t who, size_t most)
{
    uint64_t covered = 0;
    if (begin >= end)
        return 0;
    size_t i = first_behind(ranges, begin), j = i, n = 0;
    struct range *all = ranges->ranges, pieces[3], whole = {begin, end, who};
    for (; j < ranges->n && all[j].begin < end; j++)
        covered += (uint64_t)overlap(&all[j], begin, end);
    if (i < j && all[i].begin < begin) {
        if (all[i].who == who)
            whole.begin = all[i].begin;
        else
            pieces[n++] = (struct range){all[i].begin, begin, all[i].who};
    } else if (i > 0 && all[i - 1].end == begin && all[i - 1].who == who) {
        whole.begin = all[--i].begin;
    }
    size_t at = n++;
    if (i < j && all[j - 1].end > end) {
        if (all[j - 1].who == who)
            whole.end = all[j - 1].end;
        else
            pieces[n++] = (struct range){end, all[j - 1].end, all[j - 1].who};
    } else if (j < ranges->n && all[j].begin == end && all[j].who == who) {
        whole.end = all[j++].end;
    }
    pieces[at] = whole;
    size_t total = ranges->n - (j - i) + n;
    if (total > most && total > ranges->n) {
        ranges->is_full = true;
        return covered;
    }
    ranges->ranges = all = memory_room(all, &ranges->room, total, sizeof *all);
    memmove(all + i + n, all + j, (ranges->n - j) * sizeof *all);
    memcpy(all + i, pieces, n * sizeof *all);
    ranges->n = total;
    return covered;
}

void ranges_remove(struct ranges *ranges, int64_t begin, int64_t end, size_t most)
{
    size_t i = first_behind(ranges, begin), j = i, n = 0;
    struct range *all = ranges->ranges, pieces[2];
    while (begin < end && j < ranges->n && all[j].begin < end)
        j++;
    if (i == j)
        return;
    if (all[i].begin < begin)
        pieces[n++] = (struct range){all[i].begin, begin, all[i].who};
    if (all[j - 1].end > end)
        pieces[n++] = (struct range){end, all[j - 1].end, all[j - 1].who};
    if (n > j - i && ranges->n >= most) {
        ranges->is_full = true;
        n = 0;
    }
    size_t total = ranges->n - (j - i) + n;
    ranges->ranges = all = memory_room(all, &ranges->room, total, sizeof *all);
    memmove(all + i + n, all + j, (ranges->n - j) * sizeof *all);
    memcpy(all + i, pieces, n * sizeof *all);
    ranges->n = total;
}

uint64_t ranges_of_others(const struct ranges *ranges, int64_t begin, int64_t end, uint32_t who)
{
    uint64_t bytes = 0;
    for (size_t i = first_behind(ranges, begin); i < ranges->n && ranges->ranges[i].begin < end;
         i++)
        if (ranges->ranges[i].who != who)
            bytes += (uint64_t)overlap(&ranges->ranges[i], begin, end);
    return bytes;
}

uint64_t ranges_bytes(const struct ranges *ranges)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < ranges->n; i++)
        bytes += (uint64_t)(ranges->ranges[i].end - ranges->ranges[i].begin);
    return bytes;
}

void ranges_free(struct ranges *ranges)
{
    free(ranges->ranges);
    *ranges = (struct ranges){0};
}
