/*
 * xml.h - the XML report, described by doc/timing.xsd: what JSON says, with the tree as nested
 * elements. What is null in JSON is an attribute or element that is missing here.
 */
#ifndef GPTL_REPORT_XML_H
#define GPTL_REPORT_XML_H

#include "report/name.h"
#include "report/out.h"
#include "report/report.h"
#include "report/snapshot.h"

/* Returns 0, or -1 when there is no memory. Errors of writing stay in OUT. */
int gptl_xml_write(struct gptl_out *out, const struct gptl_profile *profile);

/* ---- Between the files of this section ------------------------------------------------------ */

/* An attribute with a blank before it, its value by the call PUT. KEY is a literal, as is. */
#define gptl_xml_attribute(out, key, put)                                                          \
    do {                                                                                           \
        gptl_out_literal(out, " " key "=\"");                                                      \
        put;                                                                                       \
        gptl_out_char(out, '"');                                                                   \
    } while (0)

#define gptl_xml_uint(out, key, value) gptl_xml_attribute(out, key, gptl_out_uint(out, value))
#define gptl_xml_seconds(out, key, ns) gptl_xml_attribute(out, key, gptl_out_seconds(out, ns))
#define gptl_xml_text(out, key, text) gptl_xml_attribute(out, key, gptl_name_xml(out, text))

/* The elements of a thread that hold its tree. */
int gptl_xml_nodes(struct gptl_out *out, const struct gptl_profile *profile,
                   const struct gptl_view *view); /* -1: no memory */
void gptl_xml_back_edges(struct gptl_out *out, const struct gptl_view *view);
void gptl_xml_intervals(struct gptl_out *out, const struct gptl_view *view);

/* The same, of the option dopr_callers. Returns 0, or -1 when there is no memory. */
int gptl_xml_callers(struct gptl_out *out, const struct gptl_profile *profile,
                     const struct gptl_view *view);

/* The values of all metrics, in their order, - for one that there is none of; or nothing. */
void gptl_xml_values(struct gptl_out *out, const struct gptl_profile *profile,
                     const int64_t *counters, uint64_t ns);

/* CPU time in microseconds, unless there is none. */
void gptl_xml_cpu(struct gptl_out *out, int64_t usr, int64_t sys);

#endif
