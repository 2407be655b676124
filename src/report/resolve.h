/*
 * resolve.h - gives the functions of a profile their names.
 */
#ifndef GPTL_REPORT_RESOLVE_H
#define GPTL_REPORT_RESOLVE_H

#include <stdbool.h>

#include "report/report.h"
#include "symbols/symbols.h"

/*
 * Finds name, source and line of each function of PROFILE that has no name, from the files that its
 * modules name, and shows the name wherever the function occurs. DEMANGLE: as in the source. What
 * cannot be found stays as it is.
 */
void gptl_report_resolve(struct gptl_profile *profile, bool demangle);

/* The same, with SYMBOLS that the caller has made and keeps. */
void gptl_report_resolve_by(struct gptl_profile *profile, struct gptl_symbols *symbols,
                            bool demangle);

/*
 * The name of the function that OFFSET in MODULE lies in, to be freed; NULL when there is none, and
 * STATE says why. FOUND, unless it is NULL, gets the rest.
 */
char *gptl_report_function_name(struct gptl_symbols *symbols,
                                const struct gptl_symbol_module *module, uint64_t offset,
                                bool demangle, struct gptl_symbol *found,
                                enum gptl_symbol_state *state);

#endif
