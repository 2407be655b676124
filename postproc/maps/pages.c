/* pages.c - cost of new memory: pages that are touched for the first time and then released. */
#include "config.h"

#include "postproc/maps/pages.h"

#include "postproc/maps/arena.h"
#include "postproc/maps/measure.h"

/* Large enough for huge pages, and larger than a system keeps ready. */
enum { BYTES = 16 << 20, PAGE = 4096, SAMPLES = 15 };

/* Return a sample in seconds; negative if the system lacks such pages. */
static double seconds_anew(enum machine_pages pages)
{
    struct arena arena = {0};
    double from = measure_now();
    if (arena_map(&arena, BYTES, pages))
        return -1;
    for (volatile char *at = arena.memory, *end = arena.memory + BYTES; at < end; at += PAGE)
        *at = 1;
    double touched = measure_now() - from;
    bool as_wanted = pages == MACHINE_SMALL || arena_is_huge(&arena);
    from = measure_now();
    arena_unmap(&arena);
    return as_wanted ? touched + measure_now() - from : -1;
}

void pages_measure(struct machine *machine)
{
    for (int i = 0; i < MACHINE_NPAGES; i++) {
        double samples[SAMPLES], spread;
        int n = 0;
        while (n < SAMPLES && (samples[n] = seconds_anew((enum machine_pages)i)) > 0)
            n++;
        if (n < SAMPLES)
            continue;
        double least = measure_least(samples, SAMPLES, &spread);
        double rate = BYTES / (least * (1 + spread)); /* median */
        if (rate > machine->new_bytes_per_second[i])
            machine->new_bytes_per_second[i] = rate;
    }
}
