/*
 * summary.c - the output of GPTLpr_summary for profiles: regions and call paths with statistics
 * over processes and threads.
 */
#include "config.h"

#include "postproc/report/outputs.h"

#include <stdlib.h>

#include "ranks/ranks.h"

int summary_write(struct gptl_out *out, const struct paths *paths,
                  const struct output_options *options)
{
    if (paths->ranks)
        return gptl_ranks_put_tree(out, paths->lanes[0].profile, paths->ranks);
    const struct gptl_profile **profiles = malloc(((size_t)paths->nlanes + 1) * sizeof *profiles);
    int n = 0;
    (void)options;
    if (!profiles)
        return -1;
    for (uint32_t i = 0; i < paths->nlanes; i++)
        if (i == 0 || paths->lanes[i].profile != paths->lanes[i - 1].profile)
            profiles[n++] = paths->lanes[i].profile;
    int result = 0;
    if (n > 0)
        result = gptl_ranks_put_text(out, profiles, n);
    else
        gptl_out_literal(out, "No region was called.\n");
    free(profiles);
    return result;
}
