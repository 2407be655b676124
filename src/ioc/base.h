/* base.h - the state of each descriptor before the oldest record in memory. */
#ifndef GPTL_IOC_BASE_H
#define GPTL_IOC_BASE_H

#include <stdbool.h>
#include <stdint.h>

#include "ioc/format.h"

/*
 * Update the table of descriptors with the effects of N records, which leave memory next. START
 * contains their initial time. Return the number of calls among them.
 */
uint64_t gptl_ioc_base_pass(const struct gptl_ioc_record *start,
                            const struct gptl_ioc_record *records, uint32_t n);
/* In a child of fork: enter all descriptors that are open now. */
void gptl_ioc_base_child(void);

/* Find the next open descriptor from FD on. Return false at the end. */
bool gptl_ioc_base_next(int fd, struct gptl_ioc_descriptor *out);

#endif
