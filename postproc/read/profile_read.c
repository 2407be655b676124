/* profile_read.c - reads a profile from a JSON report, and identifies files of other kinds. */
#include "config.h"

#include "postproc/read/profile_read.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "postproc/read/profile_reader.h"

#include "core/salvage.h"

/* ---- Other kinds of files ------------------------------------------------------------------ */

enum { HEAD_SIZE = 4096 };

static bool begins(const char *head, size_t size, const char *with)
{
    size_t length = strlen(with);
    return size >= length && memcmp(head, with, length) == 0;
}

static bool contains(const char *head, size_t size, const char *text)
{
    return memmem(head, size, text, strlen(text)) != NULL;
}

/*
 * Fail for a report of another format; point to the JSON report next to it, if it exists: PATH with
 * .json instead of ENDING.
 */
static void fail_other_format(struct json *json, const char *what, const char *path,
                              const char *ending)
{
    size_t length = strlen(path), n = strlen(ending);
    if (length < n || strcmp(path + length - n, ending) != 0)
        ending = "";
    char beside[4400];
    snprintf(beside, sizeof beside, "%.*s.json", (int)(length - strlen(ending)), path);
    if (access(beside, F_OK) == 0)
        json_fail_whole(json, "this is %s; give the JSON beside it, %s", what, beside);
    else
        json_fail_whole(json,
                        "this is %s, and not JSON, which the option output=json makes as well: "
                        "%s",
                        what, beside);
}

static void fail_compressed(struct json *json, const char *program, const char *path)
{
    json_fail_whole(json, "this is compressed; try: %s -dc %s | gptl … -", program, path);
}

static bool is_text_report(const char *head, size_t size)
{
    return begins(head, size, "GPTL ") || contains(head, size, "\nStats for thread ") ||
           (begins(head, size, "WARNING: the memory budget") ||
            (begins(head, size, "NOTE: process ") && contains(head, size, " ended without a ")));
}

/* Report the kind of a file that is not a JSON object. */
static void check_kind(struct json *json, const char *path)
{
    size_t size = HEAD_SIZE, blanks = 0;
    const char *head = json_peek(json, &size);
    while (blanks < size && isspace((unsigned char)head[blanks]))
        blanks++;
    if (json_failed(json) || (blanks < size && head[blanks] == '{'))
        return;
    if (blanks == size)
        json_fail_whole(json, "the file is empty");
    else if (begins(head, size, GPTL_SALVAGE_MAGIC))
        json_fail_whole(json,
                        "this is the salvage file of a process that was killed; `gptl report "
                        "%s` prints it",
                        path);
    else if (is_text_report(head, size))
        fail_other_format(json, "a text report", path, "");
    else if (head[blanks] == '<')
        fail_other_format(json, "XML", path, ".xml");
    else if (begins(head, size, "\x1f\x8b"))
        fail_compressed(json, "gzip", path);
    else if (begins(head, size, "\x28\xb5\x2f\xfd"))
        fail_compressed(json, "zstd", path);
    else if (begins(head, size,
                    "\xfd"
                    "7zXZ"))
        fail_compressed(json, "xz", path);
    else if (begins(head, size, "BZh"))
        fail_compressed(json, "bzip2", path);
    else if (memchr(head, '\0', size))
        json_fail_whole(json, "this is a binary file, not a JSON report");
    else
        json_fail_whole(json, "this is not a JSON report, which begins with {");
}

/* ---- Document ------------------------------------------------------------------------------ */

int reader_member(const char *key, const char *const *members, int n, int *next)
{
    for (int i = 0; i < n; i++) {
        int member = (*next + i) % n;
        if (strcmp(key, members[member]) == 0) {
            *next = (member + 1) % n;
            return member;
        }
    }
    return n;
}

void reader_no_memory(struct reader *reader)
{
    json_fail_whole(reader->json, "there is no memory to read it");
}

static void read_document(struct reader *reader)
{
    struct json *json = reader->json;
    const char *key;
    json_object(json);
    while ((key = json_key(json))) {
        if (strcmp(key, "threads") == 0) {
            reader->has_threads = true;
            json_array(json);
            while (json_element(json))
                reader_thread(reader);
        } else if (!reader_head(reader, key)) {
            json_skip(json);
        }
    }
    reader_head_end(reader);
    if (!reader->has_threads)
        json_fail_whole(json, "it has no \"threads\"");
}

/* Read the report that is the next value. NULL after a message. */
static struct gptl_profile *read_report(struct json *json, uint32_t keep)
{
    struct reader reader = {.json = json, .keep = keep};
    reader.profile = calloc(1, sizeof *reader.profile);
    if (!reader.profile) {
        reader_no_memory(&reader);
        return NULL;
    }
    reader_head_begin(reader.profile);
    read_document(&reader);
    bool done = !json_failed(json);
    if (done)
        gptl_report_join(reader.profile, &reader.names.memory);
    name_pool_free(&reader.names);
    if (done)
        return reader.profile;
    profile_free(reader.profile);
    return NULL;
}

/* ---- Files --------------------------------------------------------------------------------- */

static void give(struct json *json, const struct profile_taker *taker, struct gptl_profile *profile)
{
    if (profile && taker->take(taker->argument, profile)) {
        profile_free(profile);
        json_fail_whole(json, "there is no memory to read it");
    }
}

/* Return whether a file of many ranks starts with this format. */
static bool has_format(struct json *json, const char *format)
{
    size_t size = HEAD_SIZE;
    const char *head = json_peek(json, &size);
    return contains(head, size < 64 ? size : 64, format);
}

static void check_many_version(struct json *json)
{
    if (json_uint(json, UINT64_MAX) != 1)
        json_fail_whole(
            json, "this is a gptl-profiles of another version than 1, which gptl " PACKAGE_VERSION
                  " reads");
}

static void read_many(struct json *json, uint32_t keep, const struct profile_taker *taker)
{
    const char *key;
    json_object(json);
    while ((key = json_key(json))) {
        if (strcmp(key, "version") == 0) {
            check_many_version(json);
        } else if (strcmp(key, "profiles") == 0) {
            json_array(json);
            while (json_element(json))
                if (!json_null(json)) /* a rank that was out of memory */
                    give(json, taker, read_report(json, keep));
        } else {
            json_skip(json);
        }
    }
}

static void read_statistics(struct json *json, const struct profile_taker *taker)
{
    if (!taker->take_summary) {
        json_fail_whole(json,
                        "this has statistics over the ranks of a job, which gptl report reads; "
                        "the reports of single processes are needed here");
        return;
    }
    struct summary *summary = summary_read(json);
    json_end(json);
    if (summary && (json_failed(json) || taker->take_summary(taker->argument, summary))) {
        summary_free(summary);
        json_fail_whole(json, "there is no memory to read it");
    }
}

static void read_one(struct json *json, uint32_t keep, const struct profile_taker *taker)
{
    json_hint(json, "; is this JSON of another kind? It has no \"format\" before");
    struct gptl_profile *profile = read_report(json, keep);
    json_end(json);
    if (json_failed(json))
        profile_free(profile);
    else
        give(json, taker, profile);
}

static int read_file(const char *who, const char *path, int fd, uint32_t keep,
                     const struct profile_taker *taker)
{
    struct json *json = json_new(who, strcmp(path, "-") == 0 ? "stdin" : path, fd);
    if (!json) {
        fprintf(stderr, "%s: %s: there is no memory to read it\n", who, path);
        return -1;
    }
    check_kind(json, path);
    if (has_format(json, "\"gptl-profiles\"")) {
        read_many(json, keep, taker);
        json_end(json);
    } else if (has_format(json, "\"gptl-summary\"")) {
        read_statistics(json, taker);
    } else {
        read_one(json, keep, taker);
    }
    int result = json_failed(json) ? -1 : 0;
    json_free(json);
    return result;
}

int profile_read_all(const char *who, const char *path, uint32_t keep,
                     const struct profile_taker *taker)
{
    struct stat status;
    bool from_stdin = strcmp(path, "-") == 0;
    int fd = from_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC), result = -1;
    if (fd < 0) {
        fprintf(stderr, "%s: %s: %s\n", who, path, strerror(errno));
        return -1;
    }
    if (fstat(fd, &status) == 0 && S_ISDIR(status.st_mode))
        fprintf(stderr, "%s: %s: this is a folder; give a JSON report, such as timing.0.json\n",
                who, from_stdin ? "stdin" : path);
    else
        result = read_file(who, path, fd, keep, taker);
    if (!from_stdin)
        close(fd);
    return result;
}

/* Receiver of a single report. */
struct one {
    struct gptl_profile *profile;
    int n;
};

static int take_one(void *one, struct gptl_profile *profile)
{
    struct one *to = one;
    if (to->n++ == 0)
        to->profile = profile;
    else
        profile_free(profile);
    return 0;
}

struct gptl_profile *profile_read(const char *who, const char *path, uint32_t keep)
{
    struct one one = {0};
    struct profile_taker taker = {.take = take_one, .argument = &one};
    if (profile_read_all(who, path, keep, &taker) == 0) {
        if (one.n == 1)
            return one.profile;
        fprintf(stderr, "%s: %s: this has the reports of %d processes, and one is needed\n", who,
                path, one.n);
    }
    profile_free(one.profile);
    return NULL;
}

void profile_free(struct gptl_profile *profile)
{
    if (!profile)
        return;
    gptl_report_free(profile);
    free(profile);
}
