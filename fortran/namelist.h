/* namelist.h - what process_namelist.f90 calls. */
#ifndef GPTL_FORTRAN_NAMELIST_H
#define GPTL_FORTRAN_NAMELIST_H

/* Whether the option KEY is on. */
int gptl_namelist_is_on(const char *key);

/* Sets an option, or turns on an event. Return 0, or -1 after an error. */
int gptl_namelist_set_option(const char *key, const char *value);
int gptl_namelist_set_event(const char *event);

/* Reports the error MESSAGE about FILE; is -1. */
int gptl_namelist_complain(const char *file, const char *message);

#endif
