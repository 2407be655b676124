/* machines.h - what the tool is told of machines: its option, to be freed. */
#ifndef GPTL_POSTPROC_MEMSIG_MACHINES_H
#define GPTL_POSTPROC_MEMSIG_MACHINES_H

/* The one that this runs on, or a usual one where its caches are not known. */
char *memsig_this_machine(void);

/* The one that the profile at PATH is of; NULL after a message. */
char *memsig_described_machine(const char *path);

#endif
