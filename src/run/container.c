/* container.c - the programs that start containers; see container.h. */
#include "config.h"

#include "run/container.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    enum gptl_container kind;
} programs[] = {
    {"apptainer", GPTL_CONTAINER_APPTAINER},
    {"singularity", GPTL_CONTAINER_SINGULARITY},
    {"podman", GPTL_CONTAINER_PODMAN},
    {"docker", GPTL_CONTAINER_DOCKER},
    {"nerdctl", GPTL_CONTAINER_DOCKER},
    {"shifter", GPTL_CONTAINER_OTHER},
    {"sarus", GPTL_CONTAINER_OTHER},
    {"enroot", GPTL_CONTAINER_OTHER},
    {"udocker", GPTL_CONTAINER_OTHER},
    {"runc", GPTL_CONTAINER_OTHER},
    {"crun", GPTL_CONTAINER_OTHER},
    {"bwrap", GPTL_CONTAINER_BWRAP},
    {"chroot", GPTL_CONTAINER_CHROOT},
    {"ch-run", GPTL_CONTAINER_CHROOT},
    {"systemd-nspawn", GPTL_CONTAINER_CHROOT},
    {"unshare", GPTL_CONTAINER_CHROOT},
    {"nsenter", GPTL_CONTAINER_CHROOT},
    {"proot", GPTL_CONTAINER_CHROOT},
};

enum gptl_container gptl_container_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (strcmp(programs[i].name, slash ? slash + 1 : path) == 0)
            return programs[i].kind;
    return GPTL_CONTAINER_NONE;
}

bool gptl_container_becomes_command(enum gptl_container kind)
{
    return kind >= GPTL_CONTAINER_BWRAP;
}

bool gptl_container_is_start(enum gptl_container kind, const char *word)
{
    static const char *const words[] = {"run",  "exec",   "shell", "start",
                                        "test", "create", "up",    "instance"};
    if (kind < GPTL_CONTAINER_APPTAINER || kind > GPTL_CONTAINER_DOCKER)
        return kind != GPTL_CONTAINER_NONE;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

bool gptl_container_is_prepared(const char *word, bool is_variable)
{
    static const char end_of_name[] =
        "ENV_LD_PRELOAD="; /* of APPTAINERENV_LD_PRELOAD and similar variables */
    const char *value = is_variable ? strstr(word, end_of_name) : word;
    return value && strstr(value, "/libgptl_run.so") != NULL;
}
