/*
 * unit_report_xml.c - the XML report of constructed profiles, against golden files; names of any
 * bytes; trees of any depth; unwritable places.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>

#include "report_fixture.h"

#include "core/measured.h"
#include "report/name.h"
#include "report/xml.h"

static void check(const struct fixture *f, const char *golden)
{
    char *text = fixture_written(gptl_xml_write, &f->profile);
    fixture_compare(text, golden);
    free(text);
}

static void whole_document(void **state)
{
    (void)state;
    struct fixture f;
    fixture_whole(&f);
    check(&f, "xml_whole.xml");
}

static void salvaged(void **state)
{
    (void)state;
    struct fixture f;
    fixture_salvaged(&f);
    check(&f, "xml_salvaged.xml");
}

static void functions(void **state)
{
    (void)state;
    struct fixture f;
    fixture_functions(&f);
    check(&f, "xml_functions.xml");
}

static void nothing_started(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 0);
    check(&f, "xml_empty.xml");
}

/* Readers would reject an infinite number as a time. */
static void numbers_that_are_none(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 0);
    f.profile.clock.cost = 1.0 / 0.0;
    char *text = fixture_written(gptl_xml_write, &f.profile);
    assert_non_null(strstr(text, " cost=\"NaN\" resolution=\"1e-09\""));
    free(text);
}

/* ---- Names --------------------------------------------------------------------------------- */

static void check_name(const char *name, const char *xml)
{
    fixture_check_name(gptl_name_xml, name, xml);
}

static void names(void **state)
{
    (void)state;
    check_name("", "");
    check_name(" a/b c ", " a/b c ");
    check_name("<a b='c'>&amp;]]>\"", "&lt;a b='c'&gt;&amp;amp;]]&gt;&quot;");
    check_name("\t\n\r", "&#9;&#10;&#13;");
    check_name("\x01\x08\x0b\x1f\x7f", "\\x01\\x08\\x0b\\x1f\x7f");
    check_name("ü ∇ 😀 \xc2\x80\xc2\x85\u2028", "ü ∇ 😀 \xc2\x80\xc2\x85\u2028");
    check_name("\\ \\\\ \\", "\\ \\\\ \\");
    /* Invalid UTF-8: alone, truncated, overlong, a surrogate, beyond Unicode. */
    check_name("\xe4", "\\xe4");
    check_name("\xe2\x88", "\\xe2\\x88");
    check_name("\xc0\xaf", "\\xc0\\xaf");
    check_name("\xed\xa0\x80", "\\xed\\xa0\\x80");
    check_name("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
    /* Characters outside XML, and their neighbors. */
    check_name("\xef\xbf\xbd\xef\xbf\xbe\xef\xbf\xbf",
               "\xef\xbf\xbd\\xef\\xbf\\xbe\\xef\\xbf\\xbf");
    check_name("\U0001fffe\ufdd0", "\U0001fffe\ufdd0");
    /* A name that looks escaped differs from an escaped one. */
    check_name("\\xe4", "\\x5cxe4");
    check_name("\\\\x&#1;", "\\\\x5cx&amp;#1;");
}

static const struct {
    const char *xml;
    char c;
} entities[] = {{"&amp;", '&'}, {"&lt;", '<'},   {"&gt;", '>'},  {"&quot;", '"'},
                {"&#9;", '\t'}, {"&#10;", '\n'}, {"&#13;", '\r'}};

/* Return a reader's interpretation of the entity or the character at *AT. */
static char next_character(const char **at)
{
    for (size_t i = 0; **at == '&' && i < sizeof entities / sizeof *entities; i++) {
        size_t length = strlen(entities[i].xml);
        if (strncmp(*at, entities[i].xml, length) == 0) {
            *at += length;
            return entities[i].c;
        }
    }
    assert_null(strchr("&<>\"\t\n\r", **at));
    assert_true((unsigned char)**at >= 0x20);
    return *(*at)++;
}

/* Decode the name in TEXT from XML, by the rule of the schema. */
static void read_back(char *text)
{
    char *to = text;
    for (const char *at = text; *at; to++) {
        *to = next_character(&at);
        if (*to == '\\' && *at == 'x') {
            char digits[] = {at[1], at[2], '\0'}, *end;
            *to = (char)strtoul(digits, &end, 16);
            assert_ptr_equal(end, digits + 2);
            at += 3;
        }
    }
    *to = '\0';
}

static void check_back(const char *name)
{
    char *text = fixture_written_name(gptl_name_xml, name);
    read_back(text);
    assert_string_equal(text, name);
    free(text);
}

/* Random bytes, half of them with a meaning. */
static void names_of_any_bytes(void **state)
{
    (void)state;
    static const char special[] =
        "0123456789abcdef;#\\\\xx&&<>\"'\t\n\r\x01\x1f\x7f\xc2\x80\xe2\x88"
        "\xef\xbf\xbe\xbf\xed\xa0\xf0\x9f";
    char name[64];
    srand48(1);
    for (int n = 0; n < 3000; n++) {
        int length = (int)(lrand48() % 63);
        for (int i = 0; i < length; i++)
            name[i] = lrand48() % 2 ? special[(size_t)lrand48() % (sizeof special - 1)]
                                    : (char)(1 + lrand48() % 255);
        name[length] = '\0';
        check_back(name);
    }
}

/* Longer than the output buffer, verbatim and escaped. */
static void long_names(void **state)
{
    (void)state;
    for (size_t size = 100000; size <= 1000000; size *= 10) {
        char *name = calloc(size + 1, 1);
        memset(name, 'n', size);
        check_back(name);
        memset(name, '&', size);
        check_back(name);
        memset(name, 0xff, size);
        check_back(name);
        free(name);
    }
}

/* ---- Depth --------------------------------------------------------------------------------- */

enum { DEPTH = 100000 };

/* Row i below row i - 1, and each third one has a second child, DEPTH rows on. */
static void make_deep(struct fixture *f)
{
    struct gptl_node_copy *nodes = calloc(2 * DEPTH + 1, sizeof *nodes);
    nodes[0].name = "";
    for (uint32_t i = 1; i <= 2 * DEPTH; i++)
        nodes[i] = (struct gptl_node_copy){.name = i <= DEPTH ? "deep" : "leaf",
                                           .count = i > DEPTH && i % 3 != 0 ? 0 : 1,
                                           .parent = i <= DEPTH ? i - 1 : i - DEPTH,
                                           .target = i,
                                           .region = i};
    fixture_init(f, 1);
    f->copies[0].nodes = nodes;
    f->copies[0].nnodes = 2 * DEPTH + 1;
}

static void *write_deep(void *unused)
{
    (void)unused;
    struct fixture f;
    make_deep(&f);
    char *text = fixture_written(gptl_xml_write, &f.profile);
    free(f.copies[0].nodes);
    return text;
}

/* The stack of the writing thread does not allow a function call per level. */
static void write_in_thread(void **text)
{
    pthread_t thread;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 512 << 10);
    assert_int_equal(pthread_create(&thread, &small, write_deep, NULL), 0);
    assert_int_equal(pthread_join(thread, text), 0);
    pthread_attr_destroy(&small);
}

static void deep_tree(void **state)
{
    (void)state;
    void *text;
    write_in_thread(&text);
    int depth = 0, id, deep = 0, leaves = 0;
    for (char *line = strtok(strstr(text, "<nodes>"), "\n"); line; line = strtok(NULL, "\n")) {
        bool begins = strncmp(line, "<node ", 6) == 0, ends = strcmp(line, "</node>") == 0;
        bool whole = begins && strcmp(line + strlen(line) - 2, "/>") == 0;
        deep += begins && strstr(line, " name=\"deep\"");
        leaves += begins && strstr(line, " name=\"leaf\"");
        depth += begins - ends;
        if (begins && sscanf(line, "<node id=\"%d\"", &id) == 1)
            assert_int_equal(depth, id <= DEPTH ? id : id - DEPTH + 1);
        depth -= whole;
        assert_true(depth == 0 || begins || ends);
    }
    assert_int_equal(depth, 0);
    assert_int_equal(deep, DEPTH);
    assert_int_equal(leaves, (2 * DEPTH) / 3 - DEPTH / 3);
    free(text);
}

/* ---- Files --------------------------------------------------------------------------------- */

static void full_disk(void **state)
{
    (void)state;
    struct fixture f;
    fixture_whole(&f);
    struct gptl_out *out = gptl_out_new(open("/dev/full", O_WRONLY));
    assert_int_equal(gptl_xml_write(out, &f.profile), 0);
    assert_int_equal(gptl_out_flush(out), ENOSPC);
    close(out->fd);
    free(out);
}

/*
 * Return the number of errors of writing PATH.xml in all requested formats; -1: the messages
 * differ.
 */
static int errors_of(const char *path)
{
    struct fixture f;
    fixture_whole(&f);
    int before = GPTLnum_errors(), result = gptl_report_write("test", &f.profile, path);
    int errors = GPTLnum_errors() - before;
    return (result == 0) == (errors == 0) ? errors : -1;
}

static void files(void **state)
{
    (void)state;
    assert_int_equal(gptl_core_set_options("output=xml", "test"), 0);
    assert_int_equal(errors_of("report"), 0);
    assert_int_equal(access("report", F_OK), -1);
    char *text = fixture_read("report.xml");
    assert_non_null(strstr(text, "</gptl-profile>\n"));
    free(text);
    assert_int_equal(errors_of("missing/report"), 1);
    /* The previous content is unchanged, or there is none. */
    assert_int_equal(symlink("/dev/full", "full.xml"), 0);
    assert_int_equal(errors_of("full"), 1);
    unlink("full.xml");
    assert_int_equal(system("[ \"$(echo report* full*)\" = 'report.xml full*' ]"), 0);
    unlink("report.xml");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_document),
        cmocka_unit_test(salvaged),
        cmocka_unit_test(functions),
        cmocka_unit_test(nothing_started),
        cmocka_unit_test(numbers_that_are_none),
        cmocka_unit_test(names),
        cmocka_unit_test(long_names),
        cmocka_unit_test(names_of_any_bytes),
        cmocka_unit_test(deep_tree),
        cmocka_unit_test(full_disk),
        cmocka_unit_test(files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
