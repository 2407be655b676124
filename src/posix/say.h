/* say.h - what a library that is preloaded has to say to the user, on stderr. */
#ifndef GPTL_POSIX_SAY_H
#define GPTL_POSIX_SAY_H

/*
 * From now on a line that another process has said is not said again, of all that share FOLDER. Lines with
 * another name, which B is, are the same.
 */
void gptl_posix_say_once(const char *folder);

/* One line of WHO's, of these parts. Safe in signal handlers, and no point of cancellation. */
void gptl_posix_say(const char *who, const char *a, const char *b, const char *c, const char *d);

#endif
