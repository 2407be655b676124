/*
 * pmu_here.c - for LD_PRELOAD: libpfm finds a known processor, regardless of the real one. PAPI
 * counts no events, not even software events, on an unknown one.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

#include <perfmon/pfmlib.h>

pfm_err_t pfm_get_pmu_info(pfm_pmu_t pmu, pfm_pmu_info_t *out)
{
    static pfm_err_t (*next)(pfm_pmu_t, pfm_pmu_info_t *);
    void *library = next ? NULL : dlopen("libpfm.so.4", RTLD_LAZY);
    if (library)
        *(void **)&next = dlsym(library, "pfm_get_pmu_info");
    pfm_err_t rc = next ? next(pmu, out) : PFM_ERR_NOTSUPP;
    if (rc == PFM_SUCCESS && strcmp(out->name, "amd64_fam19h_zen4") == 0)
        out->is_present = 1;
    return rc;
}
