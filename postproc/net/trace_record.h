/* trace_record.h - interface between the code that opens a trace and the code that reads it. */
#ifndef GPTL_NET_TRACE_RECORD_H
#define GPTL_NET_TRACE_RECORD_H

#include "postproc/net/trace.h"

/*
 * Parse the record at AT, if complete and valid in a world of RANKS; AT is advanced. Definitions
 * have their fields from LIST on. *REQUEST is the last posted request.
 */
bool trace_record(const unsigned char **at, const unsigned char *end, int ranks,
                  struct trace_event *e, uint64_t *request);

#endif
