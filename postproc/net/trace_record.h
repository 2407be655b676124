/* trace_record.h - between what opens a trace and what reads it. */
#ifndef GPTL_NET_TRACE_RECORD_H
#define GPTL_NET_TRACE_RECORD_H

#include "postproc/net/trace.h"

/*
 * The record at AT, if it is whole, and makes sense in a world of RANKS; AT is moved behind it. Those that
 * define something have their fields from LIST on. *REQUEST is the last one that was posted before.
 */
bool trace_record(const unsigned char **at, const unsigned char *end, int ranks,
                  struct trace_event *e, uint64_t *request);

#endif
