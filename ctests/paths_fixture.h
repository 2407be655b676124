/* paths_fixture.h - merged call paths of constructed profiles, and their invariants. */
#ifndef GPTL_CTESTS_PATHS_FIXTURE_H
#define GPTL_CTESTS_PATHS_FIXTURE_H

#include "report_fixture.h"

#include "postproc/paths/paths.h"

static inline struct paths made(struct fixture *f, int n)
{
    const struct gptl_profile *profiles[8] = {NULL};
    struct paths paths;
    for (int i = 0; i < n; i++)
        profiles[i] = &f[i].profile;
    assert_int_equal(paths_make(&paths, profiles, n), 0);
    return paths;
}

/* Check the invariants of any tree. */
static inline void check_sane(const struct paths *paths)
{
    uint32_t nchildren = 0, seen = 0;
    assert_int_equal(paths->paths[0].depth, 0);
    assert_int_equal(paths->paths[0].figures.self, 0);
    for (uint32_t i = 0; i < paths->npaths; i++) {
        const struct path *path = &paths->paths[i];
        struct figures sum = FIGURES_NONE;
        uint32_t lane = 0;
        for (uint32_t c = path->first_child; c; c = paths->paths[c].next_sibling, nchildren++) {
            assert_int_equal(paths->paths[c].parent, i);
            assert_int_equal(paths->paths[c].depth, path->depth + 1);
            assert_true(c > i);
        }
        for (uint32_t p = path->parts; p; p = paths->parts[p].next, seen++) {
            assert_int_equal(paths->parts[p].path, i);
            assert_true(p == path->parts || paths->parts[p].lane > lane);
            lane = paths->parts[p].lane;
            assert_true(p >= paths->lanes[lane].first_part);
            assert_true(p < paths->lanes[lane].first_part + paths->lanes[lane].nparts);
            figures_add(&sum, &paths->parts[p].figures);
        }
        assert_memory_equal(&sum, &path->figures, sizeof sum);
    }
    assert_int_equal(nchildren, paths->npaths - 1);
    assert_int_equal(seen, paths->nparts - 1);
    for (uint32_t l = 0; l < paths->nlanes; l++) {
        assert_true(paths->lanes[l].nparts > 0);
        assert_int_equal(paths->parts[paths->lanes[l].first_part].path, 0);
    }
}

/* Return the path with these names, separated by '/', or 0. */
static inline uint32_t at(const struct paths *paths, const char *names)
{
    uint32_t path = 0;
    while (*names) {
        size_t length = strcspn(names, "/");
        path = paths->paths[path].first_child;
        while (path && (strncmp(paths->paths[path].name, names, length) != 0 ||
                        paths->paths[path].name[length]))
            path = paths->paths[path].next_sibling;
        if (!path)
            return 0;
        names += length + (names[length] == '/');
    }
    return path;
}

static inline const struct figures *figures_at(const struct paths *paths, const char *names)
{
    uint32_t path = at(paths, names);
    if (!path)
        fail_msg("there is no path %s", names);
    return &paths->paths[path].figures;
}

#endif
