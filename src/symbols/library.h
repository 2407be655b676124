/* library.h - shared libraries that are loaded when they are wanted, and may be missing. */
#ifndef GPTL_SYMBOLS_LIBRARY_H
#define GPTL_SYMBOLS_LIBRARY_H

/* It stays loaded. NULL: it is not there, or this program is linked with -static. */
void *gptl_library_open(const char *name);

/* What NAME means in LIBRARY and what that needs; LIBRARY NULL: in the program and all it has. */
void *gptl_library_find(void *library, const char *name);

#endif
