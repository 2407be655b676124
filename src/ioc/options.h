/* options.h - what the environment variable GPTL_IO asks for. */
#ifndef GPTL_IOC_OPTIONS_H
#define GPTL_IOC_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

extern struct gptl_ioc_options {
    char path[4096];        /* of the log; absolute, unless the working directory is not known */
    uint64_t memory;        /* bytes for records */
    char salvage_dir[4096]; /* where salvage files go; empty: beside the log */
    char run_dir[4096];     /* the directory of a `gptl run`; empty: this is none */
    bool is_locked_out;     /* of it: nothing is recorded */
    bool detail, sockets, full_write, salvage;
} gptl_ioc_options;

void gptl_ioc_read_options(char **environment);

#endif
