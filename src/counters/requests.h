/* requests.h - which events were asked for, by the options and by GPTLsetoption. */
#ifndef GPTL_COUNTERS_REQUESTS_H
#define GPTL_COUNTERS_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Changes with what is asked for; 0: nothing is. */
uint32_t gptl_requests_revision(void);

/* Adds an event, or takes it away. False: there is no memory. */
bool gptl_requests_set(const char *name, bool on);
void gptl_requests_forget(void);

/* Each event that is asked for, in order. */
void gptl_requests_each(void (*see)(void *arg, const char *name), void *arg);

#endif
