/* streams.h - the system calls that streams (stdio) make inside libc. */
#ifndef GPTL_POSIX_STREAMS_H
#define GPTL_POSIX_STREAMS_H

/* Calls of the replaced stream functions in this thread, for the wrappers around them. */
extern __thread struct gptl_posix_thread_streams {
    unsigned writes, closes;
    unsigned own; /* above 0: called by the timing library, not reported */
} gptl_posix_thread_streams __attribute__((tls_model("initial-exec")));

/* Report stream calls to the sinks from now on, if libc permits it. */
void gptl_posix_watch_streams(void);

#endif
