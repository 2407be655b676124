/* notes.c - caveats about the logs: lost, unmatched and damaged data; clocks. */
#include "config.h"

#include "postproc/iostack/stack.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "postproc/ioc/memory.h"

struct notes {
    char **texts;
    size_t n, room;
};

static __attribute__((format(printf, 2, 3))) void add(struct notes *notes, const char *format, ...)
{
    char text[4096];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    notes->texts = memory_room(notes->texts, &notes->room, notes->n + 2, sizeof *notes->texts);
    notes->texts[notes->n++] = memory_text(text);
    notes->texts[notes->n] = NULL;
}

static void count(struct notes *notes, uint64_t n, const char *what)
{
    if (n > 0)
        add(notes, "%llu %s", (unsigned long long)n, what);
}

static void add_counts(struct notes *notes, const struct counts *c)
{
    count(notes, c->lost,
          "spans are in no log: there was no room where it lies, or they were begun in a signal "
          "handler");
    count(notes, c->hidden, "spans began deeper than 64 levels, and are in no log");
    count(notes, c->open, "spans began and never ended: they count as spans, and have no time");
    count(notes, c->left, "of them were still open when a span around them ended");
    count(notes, c->ends_without_begin, "ends without a begin are left out");
    count(notes, c->duplicates, "spans have the id of another one and are left out");
    count(notes, c->without_parent,
          "spans name a parent that is in no log: each stands as a call of its own");
    count(notes, c->tied,
          "spans were made where no call of MPI-IO was open (in a thread of MPI's, or while it "
          "waited): "
          "they are under the only one that was going on in the process on their file");
    count(notes, c->among,
          "spans were made while several calls of MPI-IO were going on on their file, in none of "
          "them: "
          "which one caused each is not known, they stand as calls of their own");
    count(notes, c->collective,
          "calls were made by several processes together: what some of them did below serves all, "
          "and "
          "in rows of clients is shown as shared by the collective");
    count(notes, c->lacking,
          "collective calls lack clients that have opened the file together with the others: "
          "--by collective");
    count(notes, c->unknown_operation,
          "spans are left out by -O: they read or write, but the operation of the call around them "
          "is "
          "unknown");
    count(notes, c->circles, "spans are their own ancestors and are left out");
    count(notes, c->too_deep, "spans lie deeper than 64 levels and are left out");
}

/* Report layers without logs, so that they are not mistaken for layers without calls. */
static void add_unseen(struct notes *notes, const struct stack *stack)
{
    unsigned layers = 0;
    for (size_t i = 0; i < stack->nprocesses; i++)
        layers |= stack->processes[i].layers;
    if (stack->counts.collective > 0 && !(layers >> GPTL_LAYER_COMM & 1))
        add(notes,
            "nothing is known of the communication within calls: there is no log of the layer "
            "comm; of Open MPI's OMPIO none can be seen, see gptl-iostack(1)");
    else
        count(notes, stack->counts.in_parts,
              "collective calls ended in another call than they began in (non-blocking, or split): "
              "what MPI communicates for non-blocking ones while the program waits is in no span");
}

static void add_logs(struct notes *notes, const struct stack *stack)
{
    for (size_t i = 0; i < stack->nlogs; i++) {
        const struct span_log *log = &stack->logs[i];
        if (log->is_cut)
            add(notes, "%s is cut off; what is there is here", log->path);
        if (log->damaged)
            add(notes, "%s is damaged in %llu place%s", log->path, (unsigned long long)log->damaged,
                log->damaged == 1 ? "" : "s");
        if (!(log->header.flags & GPTL_IOSTACK_ENDED))
            add(notes, "%s: its process did not say that it ended: it was killed, or still runs",
                log->path);
    }
}

static void add_bound(struct notes *notes, const struct stack *stack,
                      const struct clock_bound *bound)
{
    const char *a = stack->hosts[bound->a].name, *b = stack->hosts[bound->b].name;
    if (bound->sure.n > 0 && !clock_agrees(&bound->sure))
        add(notes,
            "the clocks of %s and %s drift: no offset suits all pairs, that of the narrowest is "
            "taken",
            a, b);
    if (bound->likely.n > 0 && !clock_agrees(&bound->likely))
        add(notes,
            "collective reads and writes of %s and %s did not wait for all their clients, or the "
            "clocks drift: they say nothing of the clocks",
            a, b);
}

static void add_clocks(struct notes *notes, const struct stack *stack)
{
    for (size_t i = 1; i < stack->nhosts; i++) {
        const struct host *host = &stack->hosts[i];
        if (host->bound < 0)
            add(notes,
                "nothing is known of the clock of %s against that of %s: no span there belongs to "
                "one here, and no collective call is of both",
                host->name, stack->hosts[0].name);
        else
            add(notes, "the clock of %s is %.3f us %s that of %s, give or take %.3f us", host->name,
                fabs((double)host->offset) * 1e-3, host->offset < 0 ? "ahead of" : "behind",
                stack->hosts[0].name, (double)host->bound * 1e-3);
    }
    for (size_t i = 0; i < stack->nbounds; i++)
        add_bound(notes, stack, &stack->bounds[i]);
}

char **stack_notes(const struct stack *stack)
{
    struct notes notes = {memory_zeros(1, sizeof(char *)), 0, 1};
    add_counts(&notes, &stack->counts);
    add_unseen(&notes, stack);
    add_logs(&notes, stack);
    add_clocks(&notes, stack);
    return notes.texts;
}
