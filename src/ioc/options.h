/* options.h - the options in the environment variable GPTL_IO. */
#ifndef GPTL_IOC_OPTIONS_H
#define GPTL_IOC_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

extern struct gptl_ioc_options {
    char path[4096];        /* of the log; absolute if the working directory is known */
    uint64_t memory;        /* bytes for records */
    char salvage_dir[4096]; /* directory of salvage files; empty: the log's directory */
    char run_dir[4096];     /* directory of a `gptl run`; empty: outside one */
    bool is_locked_out;     /* run_dir is inaccessible: nothing is recorded */
    bool detail, sockets, full_write, salvage;
} gptl_ioc_options;

void gptl_ioc_read_options(char **environment);

#endif
