/* output.c - writes a profile in each requested format. */
#include "config.h"

#include "report/output.h"

#include <locale.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/file.h"
#include "report/json.h"
#include "report/text.h"
#include "report/xml.h"

/* ---- Formats --------------------------------------------------------------------------------- */

/* Additional bits. */
enum {
    MERGED = 16,
    AUTOMATIC = 32,
    ALL_FORMATS = GPTL_FORMAT_TEXT | GPTL_FORMAT_JSON | GPTL_FORMAT_XML
};

/* Number of ranks above which one file per rank burdens the file system and the reader. */
enum { MERGED_FROM = 65 };

static const struct {
    const char *word;
    unsigned bits;
} words[] = {
    {"text", GPTL_FORMAT_TEXT},
    {"json", GPTL_FORMAT_JSON},
    {"xml", GPTL_FORMAT_XML},
    {"none", 0},
    {"merged", MERGED},
    {"ranks", MERGED | GPTL_FORMAT_RANKS},
    {"auto", AUTOMATIC | GPTL_FORMAT_TEXT},
};

enum { NWORDS = sizeof words / sizeof *words };

static void unknown_word(const char *function, const char *word, size_t length)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&told))
        gptl_core_error_job(
            function,
            "output=%.*s: there is no such format; there are text, json, xml, none, "
            "merged, ranks and auto",
            (int)length, word);
}

/* Return the index of WORD among the words; NWORDS if it is unknown. */
static int find_word(const char *word, size_t length)
{
    int i = 0;
    while (i < NWORDS &&
           (strlen(words[i].word) != length || memcmp(words[i].word, word, length) != 0))
        i++;
    return i;
}

/* Return the option's words as bits. */
static unsigned wanted_bits(const char *function)
{
    unsigned wanted = 0;
    bool any = false;
    for (const char *word = gptl_core_string(GPTL_STR_OUTPUT); *word;) {
        size_t length = strcspn(word, ", ");
        int i = find_word(word, length);
        if (i < NWORDS) {
            wanted |= words[i].bits;
            any = true;
        } else if (length > 0) {
            unknown_word(function, word, length);
        }
        word += length;
        word += strspn(word, ", ");
    }
    return any ? wanted : GPTL_FORMAT_TEXT;
}

unsigned gptl_output_formats(const char *function)
{
    unsigned wanted = wanted_bits(function);
    bool only_of_jobs = wanted & MERGED && !(wanted & ALL_FORMATS);
    return only_of_jobs ? GPTL_FORMAT_TEXT : wanted & ALL_FORMATS;
}

bool gptl_report_is_wanted(const char *function)
{
    return gptl_output_formats(function) != 0;
}

unsigned gptl_output_merged_formats(const char *function, int nranks)
{
    enum { BOTH = GPTL_FORMAT_TEXT | GPTL_FORMAT_JSON };
    unsigned wanted = wanted_bits(function);
    if (wanted & AUTOMATIC && nranks >= MERGED_FROM)
        return BOTH | (wanted & GPTL_FORMAT_RANKS);
    if (!(wanted & MERGED))
        return 0;
    return (wanted & BOTH ? wanted & BOTH : BOTH) | (wanted & GPTL_FORMAT_RANKS);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static int no_memory(const char *function)
{
    return gptl_core_error(function, "no memory for the report, which is not written");
}

static int write_text(const char *function, const char *path, gptl_output_writer *writer,
                      const void *what)
{
    struct gptl_file file;
    if (gptl_file_open(&file, function, path, gptl_core_option(GPTL_OPT_APPEND) != 0))
        return -1;
    int result = writer(file.out, what);
    if (gptl_file_close(&file, result == 0) == 0)
        return 0;
    return result ? no_memory(function) : -1;
}

/*
 * Return the file name for a format. Two documents in one file are not valid JSON or XML: when
 * appending, the next document gets a number, PATH.2.json. A device receives all formats in
 * sequence.
 */
static char *document_path(const char *path, const char *format)
{
    bool device = strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0;
    size_t size = strlen(path) + 32;
    char *name = malloc(size);
    if (!name)
        return NULL;
    snprintf(name, size, device ? "%s" : "%s.%s", path, format);
    for (unsigned n = 2;
         !device && gptl_core_option(GPTL_OPT_APPEND) != 0 && access(name, F_OK) == 0; n++)
        snprintf(name, size, "%s.%u.%s", path, n, format);
    return name;
}

static int write_document(const char *function, const char *path, const char *format,
                          gptl_output_writer *writer, const void *what)
{
    struct gptl_file file;
    char *name = document_path(path, format);
    if (!name)
        return no_memory(function);
    int result = gptl_file_open(&file, function, name, false);
    free(name);
    if (result)
        return -1;
    result = writer(file.out, what);
    if (gptl_file_close(&file, result == 0) == 0)
        return 0;
    return result ? no_memory(function) : -1;
}

/*
 * State of the host's thread. Its locale may use a decimal comma, and it may be cancelled; a report
 * must be complete and use decimal points.
 */
struct host_state {
    int cancel;
    locale_t plain, before;
};

static struct host_state set_host_aside(void)
{
    struct host_state host;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &host.cancel);
    host.plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    host.before = host.plain ? uselocale(host.plain) : (locale_t)0;
    return host;
}

static void restore_host(struct host_state host)
{
    if (host.plain) {
        uselocale(host.before);
        freelocale(host.plain);
    }
    pthread_setcancelstate(host.cancel, &host.cancel);
}

static int put_text(struct gptl_out *out, const void *profile)
{
    struct gptl_style style = gptl_style_of_options(profile);
    return gptl_text_write(out, profile, &style);
}

static int put_json(struct gptl_out *out, const void *profile)
{
    return gptl_json_write(out, profile);
}

static int put_xml(struct gptl_out *out, const void *profile)
{
    return gptl_xml_write(out, profile);
}

/* The contents for one destination: a profile in several formats, or text and JSON of WHAT. */
struct content {
    const char *function;
    gptl_output_writer *text, *json, *xml; /* NULL: not requested */
    const void *what;
};

static int write_files(const struct content *c, const char *path)
{
    int result = 0;
    if (c->text && write_text(c->function, path, c->text, c->what))
        result = -1;
    if (c->json && write_document(c->function, path, "json", c->json, c->what))
        result = -1;
    if (c->xml && write_document(c->function, path, "xml", c->xml, c->what))
        result = -1;
    return result;
}

static int write_content(const struct content *c, const char *path)
{
    char place[PATH_MAX], later[PATH_MAX];
    struct host_state host = set_host_aside();
    int result = write_files(c, path ? gptl_report_place(c->function, path, place) : NULL);
    if (result == 0 && path && gptl_report_is_late(c->function, place)) {
        result = write_files(c, gptl_report_place(c->function, path, later));
        if (result == 0)
            gptl_report_remove(place);
    }
    if (result != 0 && path)
        gptl_report_retract(c->function, place);
    restore_host(host);
    if (result == 0 && path && (c->text || c->json || c->xml))
        gptl_report_wrote(c->function, path);
    return result;
}

static int write_formats(const char *function, const struct gptl_profile *profile, const char *path,
                         unsigned wanted)
{
    struct content content = {function, wanted & GPTL_FORMAT_TEXT ? put_text : NULL,
                              wanted & GPTL_FORMAT_JSON ? put_json : NULL,
                              wanted & GPTL_FORMAT_XML ? put_xml : NULL, profile};
    return write_content(&content, path);
}

int gptl_report_write(const char *function, const struct gptl_profile *profile, const char *path)
{
    return write_formats(function, profile, path, gptl_output_formats(function));
}

int gptl_report_write_named(const char *function, const struct gptl_profile *profile,
                            const char *path)
{
    unsigned more = path ? gptl_output_formats(function) : 0;
    return write_formats(function, profile, path, GPTL_FORMAT_TEXT | more);
}

int gptl_output_put_json(struct gptl_out *out, const struct gptl_profile *profile)
{
    struct host_state host = set_host_aside();
    int result = gptl_json_write(out, profile);
    restore_host(host);
    return result;
}

int gptl_output_write(const char *function, const char *path, gptl_output_writer *text,
                      gptl_output_writer *json, const void *what)
{
    return write_content(&(struct content){function, text, json, NULL, what}, path);
}
