/* extrapolate.c */
#include "config.h"
#include "postproc/net/net.h"
int net_extrapolate(struct trace *const *traces, int from, int ranks, enum scaling scaling,
                    const char *folder, char *pattern, size_t size)
{
    (void)traces, (void)from, (void)ranks, (void)scaling, (void)folder, (void)pattern, (void)size;
    return -1;
}
