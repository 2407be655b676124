/* requests.h - the events requested by options and by GPTLsetoption. */
#ifndef GPTL_COUNTERS_REQUESTS_H
#define GPTL_COUNTERS_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Return a number that changes with the requests; 0 if nothing is requested. */
uint32_t gptl_requests_revision(void);

/* Add or remove an event. False when out of memory. */
bool gptl_requests_set(const char *name, bool on);
void gptl_requests_forget(void);

/* Call SEE for each requested event in order. */
void gptl_requests_each(void (*see)(void *arg, const char *name), void *arg);

#endif
