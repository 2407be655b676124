/* steps.c - sums per time step. */
#include "config.h"

#include "postproc/ioc/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/ioc/memory.h"

#define MOST_STEPS ((uint64_t)10000000)

/* Return 1, 2 or 5 times a power of ten, so that SPAN has at most 100 steps. */
static int64_t choose_step(int64_t span)
{
    enum { MOST = 100 };
    static const int64_t times[] = {1, 2, 5};
    for (int64_t power = 1000; power < INT64_MAX / 100; power *= 10)
        for (int i = 0; i < 3; i++)
            if (span / (times[i] * power) < MOST)
                return times[i] * power;
    return INT64_MAX;
}

int steps_begin(struct steps *steps, const struct ioc *ioc, unsigned nvalues)
{
    int64_t begin = ioc->selection.from > 0 ? ioc->selection.from : 0, end = ioc->selection.to;
    if (__builtin_sub_overflow(ioc->log.end, ioc->log.begin, &end) || end > ioc->selection.to)
        end = ioc->selection.to;
    *steps = (struct steps){.nvalues = nvalues, .first = UINT64_MAX};
    steps->step = ioc->step ? ioc->step : choose_step(end > begin ? end - begin : 0);
    if (end > begin && (uint64_t)((end - begin) / steps->step) > MOST_STEPS) {
        fprintf(stderr, "gptl ioc %s: --step: that would be %lld steps; choose longer ones\n",
                ioc->tool, (long long)((end - begin) / steps->step));
        return -1;
    }
    steps->nlanes = (uint32_t)ioc->log.nprocesses;
    steps->lanes = memory_zeros(steps->nlanes, sizeof *steps->lanes);
    return 0;
}

void steps_free(struct steps *steps)
{
    for (uint32_t i = 0; steps->lanes && i < steps->nlanes; i++)
        free(steps->lanes[i].steps);
    free(steps->lanes);
    free(steps->all.steps);
}

static struct step *place(struct lane_steps *lane, uint64_t i)
{
    if (lane->n == 0)
        lane->first = i;
    uint64_t last = lane->n ? lane->first + lane->n - 1 : i;
    uint64_t first = i < lane->first ? i : lane->first;
    if (i > last)
        last = i;
    size_t n = (size_t)(last - first + 1), shift = (size_t)(lane->first - first);
    if (n > lane->n) {
        lane->steps = memory_room(lane->steps, &lane->room, n, sizeof *lane->steps);
        memmove(lane->steps + shift, lane->steps, lane->n * sizeof *lane->steps);
        memset(lane->steps, 0, shift * sizeof *lane->steps);
        memset(lane->steps + shift + lane->n, 0, (n - shift - lane->n) * sizeof *lane->steps);
        lane->n = n;
        lane->first = first;
    }
    return &lane->steps[i - lane->first];
}

void steps_add(struct steps *steps, uint32_t process, int64_t time, unsigned value, uint64_t n)
{
    /* Values of a deviating clock are attributed to the first or last step. */
    uint64_t i = time < 0 ? 0 : (uint64_t)(time / steps->step);
    if (i > MOST_STEPS)
        i = MOST_STEPS;
    place(&steps->all, i)->value[value] += n;
    place(&steps->lanes[process], i)->value[value] += n;
    if (i < steps->first)
        steps->first = i;
    if (i + 1 > steps->end)
        steps->end = i + 1;
}

const struct step *steps_at(const struct lane_steps *lane, uint64_t i)
{
    static const struct step nothing;
    return lane->n && i >= lane->first && i - lane->first < lane->n ? &lane->steps[i - lane->first]
                                                                    : &nothing;
}
