/* library.h - optional shared libraries, loaded on first use. */
#ifndef GPTL_SYMBOLS_LIBRARY_H
#define GPTL_SYMBOLS_LIBRARY_H

/*
 * Load the library NAME, which stays loaded. NULL: it is missing, or this program is linked with
 * -static.
 */
void *gptl_library_open(const char *name);

/*
 * Return the address of symbol NAME in LIBRARY or its dependencies; LIBRARY NULL searches the
 * program and all its libraries.
 */
void *gptl_library_find(void *library, const char *name);

#endif
