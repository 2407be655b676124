/* streams.h - the calls that streams (stdio) make of the system, inside libc. */
#ifndef GPTL_POSIX_STREAMS_H
#define GPTL_POSIX_STREAMS_H

/* What the streams' own functions have done in this thread, for wrappers that stand around them. */
extern __thread struct gptl_posix_thread_streams {
    unsigned writes, closes;
    unsigned own; /* the timing library waits for what they do */
} gptl_posix_thread_streams __attribute__((tls_model("initial-exec")));

/* From here on sinks are told of them, where that can be. */
void gptl_posix_watch_streams(void);

#endif
