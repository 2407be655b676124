/* version.h - the library's version as text, from the numbers in gptl.h. */
#ifndef GPTL_REPORT_VERSION_H
#define GPTL_REPORT_VERSION_H

#include "gptl.h"

#define GPTL_REPORT_STRING(x) GPTL_REPORT_STRING_OF(x)
#define GPTL_REPORT_STRING_OF(x) #x
#define GPTL_REPORT_VERSION                                                                        \
    GPTL_REPORT_STRING(GPTL_VERSION_MAJOR)                                                         \
    "." GPTL_REPORT_STRING(GPTL_VERSION_MINOR) "." GPTL_REPORT_STRING(GPTL_VERSION_PATCH)

#endif
