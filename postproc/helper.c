/* helper.c - finds the helper programs that gptl starts. */
#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "postproc/commands.h"

bool gptl_find_helper(const char *name, char *path, size_t size)
{
    static const char *const places[] = {"/", "/../libexec/gptl/"};
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        snprintf(path, size, "%s%s%s", self, places[i], name);
        if (access(path, X_OK) == 0)
            return true;
    }
    snprintf(path, size, "%s/%s", HELPER_DIR, name);
    return access(path, X_OK) == 0;
}
