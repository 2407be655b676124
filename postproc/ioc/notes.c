/* notes.c - caveats about a log: lost, damaged, or invisible calls. */
#include "config.h"

#include "postproc/ioc/ioc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/ioc/memory.h"

#include "report/name.h"

struct notes {
    char **texts;
    size_t n, room;
};

/* Add a note of any length: notes for programs list all calls. */
static __attribute__((format(printf, 2, 3))) void add(struct notes *notes, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int n = vsnprintf(NULL, 0, format, list);
    char *text = memory_zeros(n > 0 ? (size_t)n + 1 : 1, 1);
    vsnprintf(text, n > 0 ? (size_t)n + 1 : 1, format, again);
    va_end(again);
    va_end(list);
    notes->texts = memory_room(notes->texts, &notes->room, notes->n + 2, sizeof *notes->texts);
    notes->texts[notes->n++] = text;
    notes->texts[notes->n] = NULL;
}

static void add_lost(struct notes *notes, const struct log *log)
{
    uint64_t lost = 0, calls = 0, n = 0;
    const struct log_process *most = NULL;
    char memory[BYTES_TEXT];
    for (size_t i = 0; i < log->nprocesses; i++) {
        const struct log_process *process = &log->processes[i];
        lost = lost + process->lost < lost ? UINT64_MAX : lost + process->lost;
        calls += process->calls;
        n += process->lost > 0;
        if (!most || process->lost > most->lost)
            most = process;
    }
    if (lost == 0)
        return;
    add(notes,
        "%llu call%s lost, %llu are here: the memory for records (%s) was full in %llu process%s "
        "(most in %s), and %s",
        (unsigned long long)lost, lost == 1 ? " is" : "s are", (unsigned long long)calls,
        bytes_text(memory, (double)most->memory), (unsigned long long)n, n == 1 ? "" : "es",
        most->label,
        most->flags & GPTL_IOC_WRITTEN_OUT
            ? "more threads and signal handlers made calls than have room at once (4 KiB each) "
              "while it was written out; GPTL_IO=memory=256M gives more"
            : "the oldest calls are overwritten; GPTL_IO=memory=256M gives more, "
              "GPTL_IO=full=write keeps all");
}

static void add_damage(struct notes *notes, const struct log *log)
{
    enum { MOST = 20 };
    for (size_t i = 0; i < log->ndamage && i < MOST; i++) {
        const struct log_damage *d = &log->damage[i];
        const char *path = log->sources[d->source].path;
        if (d->size)
            add(notes, "damaged: %s: %llu bytes at %llu are left out: %s", path,
                (unsigned long long)d->size, (unsigned long long)d->at, d->what);
        else
            add(notes, "damaged: %s: at %llu %s", path, (unsigned long long)d->at, d->what);
    }
    if (log->ndamage > MOST)
        add(notes, "damaged: %zu more places", log->ndamage - MOST);
}

static void add_flags(struct notes *notes, const struct log *log)
{
    uint64_t unlocked = 0, salvaged = 0, confined = 0;
    uint32_t why = 0;
    for (size_t i = 0; i < log->nprocesses; i++) {
        const struct log_process *process = &log->processes[i];
        unlocked += (process->flags & GPTL_IOC_UNLOCKED) != 0;
        bool is_confined = (process->flags & GPTL_IOC_CONFINED) != 0;
        salvaged += (process->flags & GPTL_IOC_SALVAGED) != 0 && !is_confined;
        confined += is_confined;
        why = process->lock_errno ? process->lock_errno : why;
    }
    if (unlocked)
        add(notes,
            "%llu process%s could not lock the log (%s): sections written at the same time may be "
            "mixed up, which shows as damage",
            (unsigned long long)unlocked, unlocked == 1 ? "" : "es",
            why && why < 4096 ? strerror((int)why) : "for an unknown reason");
    if (confined)
        add(notes,
            "%llu process%s set a filter of system calls: what %s children did is not recorded, "
            "and of "
            "later calls what fits into memory",
            (unsigned long long)confined, confined == 1 ? "" : "es",
            confined == 1 ? "its" : "their");
    if (salvaged)
        add(notes, "%llu process%s ended without writing all calls: what was in memory is here",
            (unsigned long long)salvaged, salvaged == 1 ? "" : "es");
}

/* Return "OBJECT CALL" without the directory of the object. */
static const char *without_folder(const char *text)
{
    const char *name = text, *blank = strrchr(text, ' ');
    for (const char *p = text; blank && p < blank; p++)
        if (*p == '/')
            name = p + 1;
    return name;
}

/* Programs get all calls; a line for readers cannot list the hundred that an MPI adds. */
static void add_unseen(struct notes *notes, const struct log *log, bool all)
{
    enum { SHOWN = 3 };
    size_t shown = all || log->nunseen <= SHOWN + 1 ? log->nunseen : SHOWN, size = 1, used = 0;
    if (log->nunseen == 0)
        return;
    for (size_t i = 0; i < shown; i++)
        size += strlen(log->unseen[i]) + 2;
    char *list = memory_zeros(size, 1);
    for (size_t i = 0; i < shown; i++)
        used += (size_t)snprintf(list + used, size - used, "%s%s", i ? ", " : "",
                                 all ? log->unseen[i] : without_folder(log->unseen[i]));
    if (shown == log->nunseen)
        add(notes, "not recorded, but imported: %s", list);
    else
        add(notes, "not recorded, but imported: %s, and %zu more: --json has all", list,
            log->nunseen - shown);
    free(list);
}

char **ioc_notes(const struct log *log, bool all)
{
    struct notes notes = {0};
    notes.texts = memory_room(NULL, &notes.room, 1, sizeof *notes.texts);
    notes.texts[0] = NULL;
    add_lost(&notes, log);
    add_damage(&notes, log);
    add_flags(&notes, log);
    add_unseen(&notes, log, all);
    for (size_t i = 0; i < log->nnotes; i++)
        add(&notes, "%s", log->notes[i]);
    return notes.texts;
}

/* ---- Start and end of the output ------------------------------------------------------------ */

static void put_json(struct gptl_out *out, char *const *notes)
{
    for (int i = 0; notes[i]; i++) {
        gptl_out_text(out, i ? ",\n" : "\n");
        gptl_name_json(out, notes[i]);
    }
}

static void put_text(struct gptl_out *out, char *const *notes)
{
    for (int i = 0; notes[i]; i++) {
        gptl_out_literal(out, "Note: ");
        gptl_name_text(out, notes[i], false);
        gptl_out_char(out, '\n');
    }
    if (notes[0])
        gptl_out_char(out, '\n');
}

static void put_stderr(const struct ioc *ioc, char *const *notes)
{
    struct gptl_out *out = gptl_out_new(2);
    for (int i = 0; out && notes[i]; i++) {
        gptl_out_format(out, "gptl ioc %s: ", ioc->tool);
        gptl_name_text(out, notes[i], false);
        gptl_out_char(out, '\n');
    }
    if (out)
        gptl_out_flush(out);
    free(out);
}

void ioc_begin(struct ioc *ioc)
{
    if (!ioc->out && ioc->in_page)
        return;
    bool is_text = !ioc->out || ioc->format != ROWS_JSON;
    char **notes = ioc_notes(&ioc->log, !is_text);
    if (!ioc->out || ioc->format == ROWS_CSV) {
        put_stderr(ioc, notes);
    } else if (ioc->format == ROWS_TABLE) {
        put_text(ioc->out, notes);
    } else {
        gptl_out_format(ioc->out, "{\"format\":\"gptl-ioc-%s\",\"version\":1,\"notes\":[",
                        ioc->tool);
        put_json(ioc->out, notes);
        gptl_out_literal(ioc->out, "],\n\"begin\":");
        gptl_out_seconds(ioc->out, ioc->log.begin > 0 ? (uint64_t)ioc->log.begin : 0);
    }
    for (int i = 0; notes[i]; i++)
        free(notes[i]);
    free(notes);
}

void ioc_end(struct ioc *ioc)
{
    if (ioc->out && ioc->format == ROWS_JSON)
        gptl_out_literal(ioc->out, "}\n");
}
