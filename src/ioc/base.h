/* base.h - what was open before the first record that is kept. */
#ifndef GPTL_IOC_BASE_H
#define GPTL_IOC_BASE_H

#include <stdbool.h>
#include <stdint.h>

#include "ioc/format.h"

/*
 * These N records, which follow START's time, leave memory: what they did to descriptors is kept.
 * Returns how many calls they are.
 */
uint64_t gptl_ioc_base_pass(const struct gptl_ioc_record *start,
                            const struct gptl_ioc_record *records, uint32_t n);
/* In a child of fork: what is open now was open before. */
void gptl_ioc_base_child(void);

/* From FD on, the next that was open; false: none. */
bool gptl_ioc_base_next(int fd, struct gptl_ioc_descriptor *out);

#endif
