/*
 * html_ranks.c - distribution over the ranks of a job on each path, for the page:
 *
 *   ranks         number of ranks; omitted if the lanes are threads, not ranks
 *   rankRows      nine numbers per path with known ranks: its place, ranks that have it, mean,
 *                 standard deviation, longest and its rank and thread, least and its rank
 *   rankBuckets   of the largest paths: place, number of buckets, then index and ranks of each
 */
#include "config.h"

#include "postproc/html/html_data.h"

#include "postproc/paths/metric.h"

enum { MOST_BUCKETS = 200000 };

static void put_numbers(struct gptl_out *out, const uint64_t *numbers, int n)
{
    for (int i = 0; i < n; i++) {
        gptl_out_char(out, ',');
        gptl_out_uint(out, numbers[i]);
    }
}

static void put_rows(struct html_data *data)
{
    bool any = false;
    html_put_key(data->out, "rankRows");
    for (uint32_t i = 1; i < data->paths->npaths; i++) {
        const struct gptl_ranks_row *row = paths_row(data->paths, data->order[i]);
        if (!row)
            continue;
        double range = (double)row->max.ns - (double)row->min_rank.ns;
        const uint64_t numbers[] = {row->ranks.n,
                                    spread_ns(row->ranks.mean),
                                    spread_ns(gptl_moments_deviation(&row->ranks, range)),
                                    row->max.ns,
                                    (uint64_t)row->max.rank,
                                    (uint64_t)row->max.thread,
                                    row->min_rank.ns,
                                    (uint64_t)row->min_rank.rank};
        html_put_between(data->out, &any);
        gptl_out_uint(data->out, i);
        put_numbers(data->out, numbers, 8);
    }
    html_put_end(data->out, any);
}

static void put_buckets(struct html_data *data)
{
    const struct gptl_ranks_tree *tree = data->paths->ranks;
    uint32_t room = MOST_BUCKETS;
    bool any = false;
    html_put_key(data->out, "rankBuckets");
    for (uint32_t k = 0; k < data->paths->npaths - 1; k++) {
        const struct gptl_ranks_row *row = paths_row(data->paths, data->order[data->largest[k]]);
        if (!row || row->nbuckets == 0)
            continue;
        if (row->nbuckets > room)
            break;
        room -= row->nbuckets;
        html_put_between(data->out, &any);
        gptl_out_uint(data->out, data->largest[k]);
        gptl_out_format(data->out, ",%u", row->nbuckets);
        for (uint32_t i = 0; i < row->nbuckets; i++) {
            const struct gptl_ranks_bucket *bucket = &tree->buckets[row->bucket + i];
            gptl_out_format(data->out, ",%u,%u", bucket->bucket, bucket->ranks);
        }
    }
    html_put_end(data->out, any);
}

void html_put_ranks(struct html_data *data)
{
    if (!data->paths->ranks)
        return;
    html_put_key(data->out, "ranks");
    gptl_out_uint(data->out, data->paths->ranks->head->nranks);
    put_rows(data);
    put_buckets(data);
}
