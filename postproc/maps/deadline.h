/* deadline.h - ends a measurement on time or at a signal. */
#ifndef GPTL_POSTPROC_MAPS_DEADLINE_H
#define GPTL_POSTPROC_MAPS_DEADLINE_H

#include <stdbool.h>

/*
 * From now on SIGINT, SIGTERM and SIGHUP end the measurement instead of the process, so that completed
 * measurements are kept. The measurement has SECONDS.
 */
void deadline_begin(double seconds);

/* Return the seconds until the measurement must end; 0 after a signal. */
double deadline_left(void);

/* Return the seconds since deadline_begin. */
double deadline_passed(void);

/* Return the signal that ended the measurement, or 0. */
int deadline_signal(void);

/* If a signal ended the measurement, end the process by that signal, as the sender expects. */
void deadline_raise(void);

#endif
