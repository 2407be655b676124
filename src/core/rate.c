/* rate.c - duration of a tick, and disagreements between clocks. */
#include "config.h"

#include "core/rate.h"

#include <stdarg.h>
#include <stdio.h>

enum {
    SHORTEST = 200000, /* minimum of a stretch, in nanoseconds */
    NOTICED = 1000000, /* minimum disagreement that is reported, in nanoseconds */
    MOST_READINGS = 2000000,
    MOST_EQUAL = 20000, /* equal readings after which a clock counts as frozen */
};

/*
 * Maximum relative difference of two rates that count as equal: the kernel slews its clock by up to
 * 500 millionths, and the ends of a stretch are uncertain by the width of their readings.
 */
static const double tolerance = 0.001;

/* Read all clocks at one moment: the try with the shortest duration of a few. */
static struct gptl_rate_moment sample(const struct gptl_rate_source *source)
{
    struct gptl_rate_moment best = {.width = UINT64_MAX};
    for (int i = 0; i < 8; i++) {
        uint64_t before = source->monotonic();
        uint64_t ticks = source->ticks();
        uint64_t after = source->monotonic();
        uint64_t boottime = source->boottime();
        uint64_t program = source->program();
        uint64_t width = source->monotonic() - before;
        if (width < best.width)
            best = (struct gptl_rate_moment){ticks, before + (after - before) / 2, boottime,
                                             program, width};
    }
    return best;
}

/*
 * Wait until SHORTEST nanoseconds have passed since FROM, and return whether they have; bounded, as
 * a clock may be frozen.
 */
static bool wait(const struct gptl_rate_source *source, uint64_t from, uint64_t shortest)
{
    uint64_t last = 0;
    int equal = 0;
    for (int i = 0; i < MOST_READINGS && equal < MOST_EQUAL; i++) {
        uint64_t now = source->monotonic();
        if (now - from >= shortest)
            return true;
        equal = now == last ? equal + 1 : 0;
        last = now;
    }
    return false;
}

static struct gptl_rate_stretch stretch_between(const struct gptl_rate_moment *a,
                                                const struct gptl_rate_moment *b)
{
    struct gptl_rate_stretch s = {
        .ticks = (double)(int64_t)(b->ticks - a->ticks),
        .nanoseconds = (double)(int64_t)(b->monotonic - a->monotonic),
        .boottime = (double)(int64_t)(b->boottime - a->boottime),
        .program = (double)(int64_t)(b->program - a->program),
    };
    s.width = (double)a->width + (double)b->width;
    s.error = s.nanoseconds > 0 ? s.width / s.nanoseconds : 1;
    return s;
}

static double rate_of(const struct gptl_rate_stretch *s)
{
    return s->ticks > 0 && s->nanoseconds > 0 ? s->nanoseconds / s->ticks : 0;
}

static bool agree(double rate, double other, double error)
{
    double difference = rate > other ? rate - other : other - rate;
    return rate > 0 && other > 0 && difference <= (tolerance + error) * other;
}

static void count(struct gptl_rate *rate, const struct gptl_rate_stretch *s)
{
    rate->ticks += s->ticks;
    rate->nanoseconds += s->nanoseconds;
}

double gptl_rate_nanoseconds_per_tick(const struct gptl_rate *rate)
{
    return rate->ticks > 0 ? rate->nanoseconds / rate->ticks : 0;
}

void gptl_rate_begin(struct gptl_rate *rate, const struct gptl_rate_source *source)
{
    struct gptl_rate_moment now = sample(source);
    *rate = (struct gptl_rate){.first = now, .last = now};
}

/* ---- Clocks that disagree ------------------------------------------------------------------ */

/* Record the disagreement in stretch S; TRUE_RATE is the clock's rate before and after. */
static void note_jump(struct gptl_rate *rate, const struct gptl_rate_stretch *s, double true_rate)
{
    double passed = s->ticks * true_rate, lacking = passed - s->nanoseconds;
    double rest = lacking - (s->boottime - s->nanoseconds);
    if (s->ticks < 0)
        rate->set_back = true;
    else if (rest < NOTICED && rest > -NOTICED - tolerance * passed)
        return; /* the machine was suspended, as its kernel reports, and the clock continued */
    else if (lacking > 0)
        rate->left_out += lacking;
    else
        rate->skipped -= lacking;
}

/* Record the other clocks' disagreements in a stretch, even if the stretch does not count. */
static void compare_clocks(struct gptl_rate *rate, const struct gptl_rate_stretch *s)
{
    double suspended = s->boottime - s->nanoseconds, off = s->program - s->nanoseconds;
    if (suspended > NOTICED + s->width)
        rate->suspended += suspended;
    off = off < 0 ? -off : off;
    if (off > NOTICED + s->width && off > tolerance * s->nanoseconds)
        rate->program_off += off;
}

/*
 * Measure the current rate in a new stretch FRESH; 0: no time passes. The new stretch counts, and
 * ends the preceding one.
 */
static double measure_now(struct gptl_rate *rate, const struct gptl_rate_source *source,
                          const struct gptl_rate_moment *from, struct gptl_rate_stretch *fresh)
{
    rate->is_frozen = !wait(source, from->monotonic, SHORTEST);
    struct gptl_rate_moment now = sample(source);
    *fresh = stretch_between(from, &now);
    compare_clocks(rate, fresh);
    rate->last = now;
    return rate->is_frozen ? 0 : rate_of(fresh);
}

/* Count S if it agrees with the KNOWN rate; otherwise record the disagreement. */
static void judge(struct gptl_rate *rate, const struct gptl_rate_stretch *s, double known)
{
    if (agree(rate_of(s), known, s->error))
        count(rate, s);
    else
        note_jump(rate, s, known);
}

/*
 * Determine by a new measurement whether S or the known rate is right, after S disagreed or when no
 * rate was known.
 */
static void settle(struct gptl_rate *rate, const struct gptl_rate_source *source,
                   const struct gptl_rate_moment *end, const struct gptl_rate_stretch *s)
{
    struct gptl_rate_stretch fresh;
    double known = gptl_rate_nanoseconds_per_tick(rate);
    double now = measure_now(rate, source, end, &fresh);
    if (now <= 0)
        return;
    if (known > 0 && !agree(now, known, fresh.error)) {
        rate->old_rate = known;
        rate->new_rate = now;
        rate->changed = (double)(end->monotonic - rate->first.monotonic);
        if (agree(rate_of(s), now, s->error))
            count(rate, s);
    } else {
        if (rate->pending.ticks > 0)
            judge(rate, &rate->pending, now);
        rate->pending.ticks = 0;
        judge(rate, s, known > 0 ? known : now);
    }
    count(rate, &fresh);
}

static bool is_too_short(const struct gptl_rate *rate, const struct gptl_rate_stretch *s)
{
    double by_ticks = s->ticks * gptl_rate_nanoseconds_per_tick(rate);
    return s->nanoseconds < SHORTEST && s->boottime < SHORTEST && s->program < SHORTEST &&
           by_ticks >= 0 && by_ticks < SHORTEST;
}

void gptl_rate_update(struct gptl_rate *rate, const struct gptl_rate_source *source,
                      uint64_t shortest)
{
    rate->is_frozen = !wait(source, rate->first.monotonic, shortest);
    struct gptl_rate_moment now = sample(source);
    struct gptl_rate_stretch s = stretch_between(&rate->last, &now);
    bool known = rate->ticks > 0, wanted = shortest > 0;
    if (is_too_short(rate, &s) && (known || !wanted))
        return;
    compare_clocks(rate, &s);
    rate->last = now;
    if (known && agree(rate_of(&s), gptl_rate_nanoseconds_per_tick(rate), s.error)) {
        count(rate, &s);
    } else if (!known && rate->pending.ticks > 0 &&
               agree(rate_of(&s), rate_of(&rate->pending), s.error + rate->pending.error)) {
        count(rate, &rate->pending);
        count(rate, &s);
        rate->pending.ticks = 0;
    } else if (!known && !wanted && !(rate->pending.ticks > 0)) {
        rate->pending = s;
    } else {
        settle(rate, source, &now, &s);
    }
}

/* ---- Sentences ----------------------------------------------------------------------------- */

struct sentences {
    char *text;
    size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void say(struct sentences *to, const char *format, ...)
{
    va_list arguments;
    if (to->used > 0 && to->used + 2 < to->size)
        to->used += (size_t)snprintf(to->text + to->used, to->size - to->used, "; ");
    va_start(arguments, format);
    int n = vsnprintf(to->text + to->used, to->size - to->used, format, arguments);
    va_end(arguments);
    to->used += n > 0 ? (size_t)n : 0;
    if (to->used >= to->size) /* the text was cut */
        to->used = to->size - 1;
}

void gptl_rate_explain(const struct gptl_rate *rate, char *text, size_t size)
{
    struct sentences to = {text, size, 0};
    text[0] = '\0';
    const struct {
        double ns;
        const char *before, *after;
    } spans[] = {
        {rate->suspended, "the machine was suspended for", ", which the clock's rate leaves out"},
        {rate->left_out, "the kernel's clock left out",
         " that this clock counted (a paused machine): left out of the rate"},
        {rate->skipped, "the kernel's clock jumped ahead of this clock by",
         ": left out of the rate"},
        {rate->program_off, "the clock that the program reads differed by",
         " from the kernel's (suspended, frozen, set, or faked): the rate is by the kernel's"},
    };
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
        if (spans[i].ns > 0)
            say(&to, "%s %.3f s%s", spans[i].before, spans[i].ns * 1e-9, spans[i].after);
    if (rate->old_rate > 0)
        say(&to,
            "the clock's rate changed from %.9g to %.9g ns a tick within the first %.3f s: times "
            "are by the mean",
            rate->old_rate, rate->new_rate, rate->changed * 1e-9);
    if (rate->set_back)
        say(&to, "this clock was set back: left out of its rate");
    if (rate->is_frozen)
        say(&to, "the kernel's clock stands still: times cannot be converted to seconds exactly");
}
