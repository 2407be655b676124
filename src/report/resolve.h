/*
 * resolve.h - finds the names of a profile's functions.
 */
#ifndef GPTL_REPORT_RESOLVE_H
#define GPTL_REPORT_RESOLVE_H

#include <stdbool.h>

#include "report/report.h"
#include "symbols/symbols.h"

/*
 * Find name, source file and line of each unnamed function of PROFILE in the files of its modules,
 * and insert the name wherever the function appears. DEMANGLE: names as in the source. Functions
 * that cannot be found stay unchanged.
 */
void gptl_report_resolve(struct gptl_profile *profile, bool demangle);

/* Do the same with SYMBOLS, which the caller owns. */
void gptl_report_resolve_by(struct gptl_profile *profile, struct gptl_symbols *symbols,
                            bool demangle);

/*
 * Return the name of the function that contains OFFSET in MODULE, which the caller frees; NULL on
 * failure, with the reason in STATE. FOUND, unless it is NULL, receives the details.
 */
char *gptl_report_function_name(struct gptl_symbols *symbols,
                                const struct gptl_symbol_module *module, uint64_t offset,
                                bool demangle, struct gptl_symbol *found,
                                enum gptl_symbol_state *state);

#endif
