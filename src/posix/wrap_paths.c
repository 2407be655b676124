/* wrap_paths.c - the wrappers of calls that name files without opening them. */
#include "config.h"

#include "posix/files.h"
#include "posix/next.h"
#include "posix/offer.h"
#include "posix/own.h"
#include "posix/setup.h"

#define PATH(name, ret, params, args, dir, path)                                                   \
    WRAPPER(name, ret, params)                                                                     \
    {                                                                                              \
        uint64_t start = gptl_posix_start();                                                       \
        ret RESULT = gptl_posix_next.name args;                                                    \
        if (!GPTL_POSIX_IS_OWN)                                                                    \
            gptl_posix_offer_paths(GPTL_CALL_##name, RESULT_OF(RESULT), 0, dir, path, 0, NULL,     \
                                   start);                                                         \
        return RESULT;                                                                             \
    }
#define RESULT_OF(result)                                                                          \
    _Generic((result), char * : (result) ? 0 : -1, default : (int64_t)(intptr_t)(result))

#define PATHS(name, ret, params, args, dir, path, dir2, path2, argument)                           \
    WRAPPER(name, ret, params)                                                                     \
    {                                                                                              \
        uint64_t start = gptl_posix_start();                                                       \
        ret RESULT = gptl_posix_next.name args;                                                    \
        if (!GPTL_POSIX_IS_OWN)                                                                    \
            gptl_posix_offer_paths(GPTL_CALL_##name, RESULT, argument, dir, path, dir2, path2,     \
                                   start);                                                         \
        return RESULT;                                                                             \
    }
#include "posix/calls.def"

#define TRUNCATE(name, offset)                                                                     \
    WRAPPER(name, int, (const char *path, offset size))                                            \
    {                                                                                              \
        uint64_t start = gptl_posix_start();                                                       \
        int result = gptl_posix_next.name(path, size);                                             \
        gptl_posix_offer_paths(GPTL_CALL_##name, result < 0 ? -1 : size, 0, AT_FDCWD, path, 0,     \
                               NULL, start);                                                       \
        return result;                                                                             \
    }
TRUNCATE(truncate, off_t)
TRUNCATE(truncate64, off64_t)

/*
 * Afterwards relative paths have another base, so the name is looked up before the change is noted.
 */
WRAPPER(chdir, int, (const char *path))
{
    uint64_t start = gptl_posix_start();
    int result = gptl_posix_next.chdir(path);
    gptl_posix_offer_paths(GPTL_CALL_chdir, result, 0, AT_FDCWD, path, 0, NULL, start);
    gptl_posix_moved_directory();
    return result;
}

WRAPPER(chroot, int, (const char *path))
{
    gptl_posix_confine();
    uint64_t start = gptl_posix_start();
    int result = gptl_posix_next.chroot(path);
    gptl_posix_offer_paths(GPTL_CALL_chroot, result, 0, AT_FDCWD, path, 0, NULL, start);
    if (result == 0 && gptl_posix_is_active()) {
        gptl_posix_moved_root(gptl_posix_name(AT_FDCWD, path));
        gptl_posix_left_root();
    }
    return result;
}
