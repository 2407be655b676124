/* say.h - prints messages of a preloaded library to the user, on stderr. */
#ifndef GPTL_POSIX_SAY_H
#define GPTL_POSIX_SAY_H

/*
 * From now on, print a line only if no other process with the same FOLDER has printed it. Lines
 * that differ only in the name, part B, are equal.
 */
void gptl_posix_say_once(const char *folder);

/*
 * Print one line that consists of WHO and these parts. Safe in signal handlers, not a cancellation
 * point.
 */
void gptl_posix_say(const char *who, const char *a, const char *b, const char *c, const char *d);

#endif
