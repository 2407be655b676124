/*
 * html_predicted.c - predicted times of the page's paths: predictedOn, the machine; doubtful, 1 if
 * the prediction is unreliable; and predicted, a list of place of a path, nanoseconds, ... for the
 * paths with a prediction.
 */
#include "config.h"

#include "postproc/html/html_data.h"

#include <stdlib.h>

#include "report/number.h"

int html_put_predicted(struct html_data *data)
{
    const struct predicted *predicted = data->options->predicted;
    bool any = false;
    if (!predicted)
        return 0;
    uint32_t *match = predicted_match(predicted->regions, predicted->nregions, data->paths);
    if (!match)
        return -1;
    html_put_key(data->out, "predictedOn");
    html_put_name(data->out, predicted->machine);
    html_put_key(data->out, "doubtful");
    gptl_out_uint(data->out, predicted->doubtful);
    html_put_key(data->out, "predicted");
    for (uint32_t i = 1; i < data->paths->npaths; i++) {
        uint32_t region = match[data->order[i]];
        if (region == PREDICTED_NONE)
            continue;
        html_put_between(data->out, &any);
        gptl_out_uint(data->out, i);
        gptl_out_char(data->out, ',');
        gptl_out_uint(data->out, gptl_number_ns_of(predicted->regions[region].seconds));
    }
    html_put_end(data->out, any);
    free(match);
    return 0;
}
