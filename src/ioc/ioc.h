/* ioc.h - the I/O Counter's recorder: a sink of the room posix that writes a log. */
#ifndef GPTL_IOC_IOC_H
#define GPTL_IOC_IOC_H

#include <stdbool.h>
#include <stdint.h>

#include "posix/posix.h"

extern const struct gptl_posix_sink gptl_ioc_sink, gptl_ioc_sink_detailed;

/* Reads the options, reserves memory; the sink for them, or NULL: nothing is recorded. */
const struct gptl_posix_sink *gptl_ioc_setup(char **environment);
void gptl_ioc_leave(bool for_exec);
void gptl_ioc_child(void);
void gptl_ioc_confine(void);
void gptl_ioc_seal(bool begins);
void gptl_ioc_bound(void);

#endif
