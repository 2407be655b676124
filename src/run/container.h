/*
 * container.h - programs that start others in a container or in another root directory, where the libraries that
 * `gptl run` preloads may not exist. Safe in a child of vfork; `gptl` uses it as well.
 */
#ifndef GPTL_RUN_CONTAINER_H
#define GPTL_RUN_CONTAINER_H

#include <stdbool.h>

enum gptl_container {
    GPTL_CONTAINER_NONE,
    GPTL_CONTAINER_APPTAINER,   /* passes its environment and the variables APPTAINERENV_* */
    GPTL_CONTAINER_SINGULARITY, /* likewise, with SINGULARITYENV_* */
    GPTL_CONTAINER_PODMAN,      /* passes variables that its options name */
    GPTL_CONTAINER_DOCKER,      /* likewise; its command is another user's child */
    GPTL_CONTAINER_OTHER,
    GPTL_CONTAINER_BWRAP, /* becomes its command itself, by execve(2), in the other root directory */
    GPTL_CONTAINER_CHROOT /* likewise */
};

/* The kind of the program PATH, by its name. */
enum gptl_container gptl_container_of(const char *path);

/* Whether a process of KIND becomes its command: then libgptl_run sees which one, if it is in the process. */
bool gptl_container_becomes_command(enum gptl_container kind);

/* Whether WORD of the command line of KIND starts something in the container. */
bool gptl_container_is_start(enum gptl_container kind, const char *word);

/* Whether WORD, of a command line or (IS_VARIABLE) NAME=VALUE, preloads our libraries in the container. */
bool gptl_container_is_prepared(const char *word, bool is_variable);

#endif
