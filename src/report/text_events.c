/* text_events.c - anomalies and omissions in a thread: one sentence each, if it occurred. */
#include "config.h"

#include "report/text.h"

#include "report/name.h"

static void put_crossings(struct gptl_text *text, const struct gptl_copy *copy)
{
    struct gptl_out *out = text->out;
    if (copy->crossed == 0 && copy->ncrossings == 0)
        return;
    uint64_t listed = 0;
    gptl_out_format(out, "\nStops in crossed order in thread %d (the times are right):\n",
                    copy->thread);
    for (uint32_t i = 0; i < copy->ncrossings; i++) {
        const struct gptl_crossing *crossing = &copy->crossings[i];
        gptl_out_literal(out, "  ");
        gptl_name_text(out, crossing->stopped, text->style.quote);
        gptl_out_literal(out, " was stopped while ");
        gptl_name_text(out, crossing->inside, text->style.quote);
        gptl_out_format(out, ", started inside it, was open: %llu %s\n",
                        (unsigned long long)crossing->times,
                        gptl_text_plural(crossing->times, "time", "times"));
        listed += crossing->times;
    }
    if (copy->crossed > listed)
        gptl_out_format(out, "  other pairs: %llu %s\n",
                        (unsigned long long)(copy->crossed - listed),
                        gptl_text_plural(copy->crossed - listed, "time", "times"));
}

static uint64_t unstopped(const struct gptl_copy *copy)
{
    uint64_t n = 0;
    for (uint32_t i = 1; i < copy->nnodes; i++)
        n += copy->nodes[i].unstopped;
    return n;
}

static void put_event(struct gptl_text *text, uint64_t n, const char *one, const char *several)
{
    if (n > 0)
        gptl_out_format(text->out, "%llu %s\n", (unsigned long long)n,
                        gptl_text_plural(n, one, several));
}

void gptl_text_events(struct gptl_text *text, int i)
{
    const struct gptl_copy *copy = &text->profile->copies[i];
    uint64_t never = unstopped(copy);
    if (copy->unmatched || copy->dropped || copy->too_deep || copy->backwards || copy->unwound ||
        never)
        gptl_out_char(text->out, '\n');
    put_event(text, copy->unmatched, "stop named a region that was not open; it changed nothing.",
              "stops named regions that were not open; they changed nothing.");
    put_event(
        text, never,
        "call was never stopped; it was ended with its thread, or when its region was "
        "started again or one around it was stopped.",
        "calls were never stopped; they were ended with their thread, or when their region was "
        "started again or one around it was stopped.");
    put_event(text, copy->unwound,
              "call of a function was left by longjmp or an exception; it was ended when that "
              "was noticed, at the latest when a function around it returned.",
              "calls of functions were left by longjmp or an exception; they were ended when that "
              "was noticed, at the latest when a function around them returned.");
    put_event(text, copy->too_deep, "call lay deeper than the depth limit and was not timed.",
              "calls lay deeper than the depth limit and were not timed.");
    put_event(text, copy->dropped,
              "call from a signal handler came while the library was at work and was not timed.",
              "calls from signal handlers came while the library was at work and were not timed.");
    put_event(text, copy->backwards,
              "call ended at an earlier time than it began, because the clock was set back; "
              "it counts with no time.",
              "calls ended at an earlier time than they began, because the clock was set back; "
              "they count with no time.");
    put_crossings(text, copy);
}
