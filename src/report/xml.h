/*
 * xml.h - the XML report, described by doc/timing.xsd: the contents of the JSON report, with the
 * tree as nested elements. A value that is null in JSON is a missing attribute or element here.
 */
#ifndef GPTL_REPORT_XML_H
#define GPTL_REPORT_XML_H

#include "report/name.h"
#include "report/out.h"
#include "report/report.h"
#include "report/snapshot.h"

/* Return 0, or -1 when out of memory. Write errors stay in OUT. */
int gptl_xml_write(struct gptl_out *out, const struct gptl_profile *profile);

/* ---- Internal interface ---------------------------------------------------------------------- */

/*
 * Print a blank and an attribute; the call PUT prints its value. KEY is a literal, printed
 * unmodified.
 */
#define gptl_xml_attribute(out, key, put)                                                          \
    do {                                                                                           \
        gptl_out_literal(out, " " key "=\"");                                                      \
        put;                                                                                       \
        gptl_out_char(out, '"');                                                                   \
    } while (0)

#define gptl_xml_uint(out, key, value) gptl_xml_attribute(out, key, gptl_out_uint(out, value))
#define gptl_xml_seconds(out, key, ns) gptl_xml_attribute(out, key, gptl_out_seconds(out, ns))
#define gptl_xml_text(out, key, text) gptl_xml_attribute(out, key, gptl_name_xml(out, text))

/* Print the elements of a thread that contain its tree. */
int gptl_xml_nodes(struct gptl_out *out, const struct gptl_profile *profile,
                   const struct gptl_view *view); /* -1 when out of memory */
void gptl_xml_back_edges(struct gptl_out *out, const struct gptl_view *view);
void gptl_xml_intervals(struct gptl_out *out, const struct gptl_view *view);

/* Print the elements of the option dopr_callers likewise. Return 0, or -1 when out of memory. */
int gptl_xml_callers(struct gptl_out *out, const struct gptl_profile *profile,
                     const struct gptl_view *view);

/* Print the values of all metrics in order, - for a missing one; nothing without metrics. */
void gptl_xml_values(struct gptl_out *out, const struct gptl_profile *profile,
                     const int64_t *counters, uint64_t ns);

/* Print CPU times in microseconds, unless both are 0. */
void gptl_xml_cpu(struct gptl_out *out, int64_t usr, int64_t sys);

#endif
