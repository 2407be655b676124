/* ioc.h - the recorder of the I/O Counter: a sink of posix/posix.h that writes a log. */
#ifndef GPTL_IOC_IOC_H
#define GPTL_IOC_IOC_H

#include <stdbool.h>
#include <stdint.h>

#include "posix/posix.h"

extern const struct gptl_posix_sink gptl_ioc_sink, gptl_ioc_sink_detailed;

/*
 * Read the options and reserve memory. Return the sink for these options, or NULL if nothing is
 * recorded.
 */
const struct gptl_posix_sink *gptl_ioc_setup(char **environment);
void gptl_ioc_leave(bool for_exec);
void gptl_ioc_child(void);
void gptl_ioc_confine(void);
void gptl_ioc_seal(bool begins);
void gptl_ioc_bound(void);

#endif
