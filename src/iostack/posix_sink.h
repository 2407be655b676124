/*
 * posix_sink.h - the layer POSIX: a sink of the posix module that reports calls to libgptl_probe.
 */
#ifndef GPTL_IOSTACK_POSIX_SINK_H
#define GPTL_IOSTACK_POSIX_SINK_H

#include "posix/posix.h"

extern const struct gptl_posix_sink gptl_iostack_sink;

#endif
