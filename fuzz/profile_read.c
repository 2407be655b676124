/*
 * profile_read.c - any bytes as a JSON report: they are refused, or the result can be written in
 * all formats, and written JSON is the same after it was read and written again. Statistics over
 * ranks are printed.
 */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "postproc/read/profile_read.h"
#include "ranks/ranks.h"
#include "report/json.h"
#include "report/out.h"
#include "report/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Suppress messages about each input. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    stderr = fopen("/dev/null", "w");
    gptl_core_set_options("output=text,json,xml;abort_on_error=off", "fuzz");
    return stderr ? 0 : -1;
}

static int new_file(void)
{
    int fd = memfd_create("profile", 0);
    if (fd < 0)
        abort();
    return fd;
}

static struct gptl_profile *read_back(int fd, uint32_t keep)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return profile_read("fuzz", path, keep);
}

static int written(const struct gptl_profile *profile)
{
    int fd = new_file();
    struct gptl_out *out = gptl_out_new(fd);
    if (!out || gptl_json_write(out, profile) || gptl_out_flush(out))
        abort();
    free(out);
    return fd;
}

static bool are_equal(int a, int b)
{
    struct stat status[2];
    if (fstat(a, &status[0]) || fstat(b, &status[1]) || status[0].st_size != status[1].st_size)
        return false;
    size_t size = (size_t)status[0].st_size;
    char *text = malloc(2 * size);
    bool equal = text && pread(a, text, size, 0) == (ssize_t)size &&
                 pread(b, text + size, size, 0) == (ssize_t)size &&
                 memcmp(text, text + size, size) == 0;
    free(text);
    return equal;
}

/* Reports that the library could have written are reproduced. */
static void check_again(const struct gptl_profile *profile)
{
    int first = written(profile);
    struct gptl_profile *again = read_back(first, 0);
    if (!again)
        abort();
    int second = written(again);
    if (!are_equal(first, second))
        abort();
    profile_free(again);
    close(first);
    close(second);
}

static int pass_over(void *nothing, struct gptl_profile *profile)
{
    (void)nothing;
    profile_free(profile);
    return 0;
}

static int print_summary(void *nothing, struct summary *summary)
{
    int fd = new_file();
    struct gptl_out *out = gptl_out_new(fd);
    (void)nothing;
    if (!out || gptl_ranks_put_tree(out, &summary->profile, &summary->tree) || gptl_out_flush(out))
        abort();
    if (gptl_report_write("fuzz", &summary->profile, "/dev/null"))
        abort();
    free(out);
    close(fd);
    summary_free(summary);
    return 0;
}

static void read_statistics(int fd)
{
    const struct profile_taker taker = {pass_over, print_summary, NULL};
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    profile_read_all("fuzz", path, 0, &taker);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = new_file();
    if (write(fd, data, size) != (ssize_t)size)
        abort();
    read_statistics(fd);
    for (uint32_t keep = 0; keep < 3; keep++) {
        struct gptl_profile *profile = read_back(fd, keep);
        if (!profile)
            continue;
        if (gptl_report_write("fuzz", profile, "/dev/null"))
            abort();
        check_again(profile);
        profile_free(profile);
    }
    close(fd);
    return 0;
}
