/*
 * container.h - recognizes programs that start others in a container or another root directory,
 * where the libraries preloaded by `gptl run` may not exist. Safe in a child of vfork; the `gptl`
 * command uses it as well.
 */
#ifndef GPTL_RUN_CONTAINER_H
#define GPTL_RUN_CONTAINER_H

#include <stdbool.h>

enum gptl_container {
    GPTL_CONTAINER_NONE,
    GPTL_CONTAINER_APPTAINER,   /* passes its environment and the variables APPTAINERENV_* */
    GPTL_CONTAINER_SINGULARITY, /* likewise, with SINGULARITYENV_* */
    GPTL_CONTAINER_PODMAN,      /* passes variables named by its options */
    GPTL_CONTAINER_DOCKER,      /* likewise; its command is a child of another user's process */
    GPTL_CONTAINER_OTHER,
    /* executes its command itself with execve(2), in the other root directory */
    GPTL_CONTAINER_BWRAP,
    GPTL_CONTAINER_CHROOT /* likewise */
};

/* Return the kind of program PATH by its name. */
enum gptl_container gptl_container_of(const char *path);

/*
 * Return whether a process of KIND becomes its command by execve; then libgptl_run, if loaded, sees
 * the command.
 */
bool gptl_container_becomes_command(enum gptl_container kind);

/* Return whether WORD on the command line of KIND starts a command in the container. */
bool gptl_container_is_start(enum gptl_container kind, const char *word);

/*
 * Return whether WORD preloads our libraries in the container. WORD is a command line argument or
 * (IS_VARIABLE) NAME=VALUE.
 */
bool gptl_container_is_prepared(const char *word, bool is_variable);

#endif
