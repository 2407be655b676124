/* io.c - the sets of POSIX I/O callbacks that are linked into libgptl_io. */
#include "config.h"

#include "ioc/ioc.h"
#include "iostack/posix_sink.h"
#include "posix/posix.h"

const struct gptl_posix_sink *const gptl_posix_sinks[] = {&gptl_ioc_sink, &gptl_iostack_sink, NULL};
