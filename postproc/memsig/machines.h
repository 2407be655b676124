/* machines.h - descriptions of machines for the tool, as strings that the caller frees. */
#ifndef GPTL_POSTPROC_MEMSIG_MACHINES_H
#define GPTL_POSTPROC_MEMSIG_MACHINES_H

/* Return this machine, or usual caches if its caches are unknown. */
char *memsig_this_machine(void);

/* Return the machine of the profile at PATH; NULL after a message. */
char *memsig_described_machine(const char *path);

#endif
