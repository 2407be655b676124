/* salvage_head.c - recognizes the files of killed processes' recorders. */
#include "config.h"

#include <string.h>

#include "postproc/ioc/salvage.h"

#include "ioc/salvage.h"

bool ioc_salvage_is_name(const char *name)
{
    return strncmp(name, GPTL_IOC_SALVAGE_PREFIX, strlen(GPTL_IOC_SALVAGE_PREFIX)) == 0;
}

bool ioc_salvage_is_head(const char *head)
{
    /* up to the first byte that is not text */
    return strncmp(head, GPTL_IOC_SALVAGE_MAGIC, 12) == 0;
}
