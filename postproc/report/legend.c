/* legend.c - descriptions of metric columns, printed below a table. */
#include "config.h"

#include "postproc/report/outputs.h"

#include <stdlib.h>

#include "report/name.h"

static void put_metric(struct gptl_out *out, const struct paths *paths,
                       const struct metric_column *column)
{
    static const char *const scopes[] = {
        "", "; of the whole process: that of the first thread, and of several processes no sum",
        "; of the whole machine: that of the first thread, and of several processes no sum"};
    gptl_out_literal(out, "  ");
    gptl_name_text(out, column->name, false);
    if (column->expression) {
        gptl_out_literal(out, " = ");
        gptl_name_text(out, column->expression, false);
    }
    if (*column->description) {
        gptl_out_literal(out, ": ");
        gptl_name_text(out, column->description, false);
    }
    if (*column->unit) {
        gptl_out_literal(out, ", in ");
        gptl_name_text(out, column->unit, false);
    }
    gptl_out_text(out, scopes[column->scope]);
    if (column->nprocesses < paths->counts->nprofiles)
        gptl_out_format(out, "; counted by %u of %u processes, whose sum it is", column->nprocesses,
                        paths->counts->nprofiles);
    if (column->estimated)
        gptl_out_format(out,
                        "; estimated (~), since it shared a counter, and n/a in less than %g s",
                        column->least_seconds);
    if (column->lost)
        gptl_out_literal(
            out, "; lost: a thread could not read it, or not any more, and has it of the calls "
                 "until then");
    gptl_out_char(out, '\n');
}

int outputs_legend(struct gptl_out *out, const struct paths *paths,
                   const struct output_options *options)
{
    struct refusal *refusals;
    uint32_t n;
    if (counts_refusals(paths, &refusals, &n))
        return -1;
    if (options->ncolumns > 0)
        gptl_out_literal(out,
                         "\nMetrics are of calls that ended: inclusive, and exclusive (excl.).\n");
    for (uint32_t i = 0; i < options->ncolumns; i++)
        put_metric(out, paths, &paths->counts->columns[options->columns[i]]);
    if (n > 0)
        gptl_out_literal(out, "\nRefused, and so in no column:\n");
    for (uint32_t i = 0; i < n; i++) {
        gptl_out_literal(out, "  ");
        gptl_name_text(out, refusals[i].name, false);
        gptl_out_literal(out, ": ");
        gptl_name_text(out, refusals[i].why, false);
        gptl_out_format(out, refusals[i].nprocesses > 1 ? " (in %u processes)\n" : "\n",
                        refusals[i].nprocesses);
    }
    free(refusals);
    return 0;
}
