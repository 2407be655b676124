/*
 * unit_profile_read.c - reading JSON reports: numbers, names, mistakes and damage of any kind, and
 * trees that are cut during reading.
 */
#include "config.h"

#include <fcntl.h>

#include "report_fixture.h"

#include "postproc/read/decimal.h"
#include "postproc/read/profile_read.h"
#include "report/json.h"

/* ---- Numbers ------------------------------------------------------------------------------- */

static void check_decimal(const char *text, int scale, uint64_t value, bool exact)
{
    uint64_t got = 12345;
    bool got_exact = !exact;
    assert_true(decimal_is_number(text));
    assert_true(decimal_read(text, scale, &got, &got_exact));
    assert_int_equal(got, value);
    assert_int_equal(got_exact, exact);
}

static void numbers(void **state)
{
    (void)state;
    check_decimal("0", 0, 0, true);
    check_decimal("-0", 0, 0, true);
    check_decimal("-0.0e5", 9, 0, true);
    check_decimal("18446744073709551615", 0, UINT64_MAX, true);
    check_decimal("18446744073.709551615", 9, UINT64_MAX, true);
    check_decimal("1844674407370955161.5e1", 0, UINT64_MAX, true);
    check_decimal("9007199254740993", 0, 9007199254740993, true);
    check_decimal("1e3", 0, 1000, true);
    check_decimal("1.0", 0, 1, true);
    check_decimal("1200e-2", 0, 12, true);
    check_decimal("0.000000001", 9, 1, true);
    check_decimal("1e-09", 9, 1, true);
    check_decimal("12.5", 9, 12500000000, true);
    check_decimal("0.0000000004999", 9, 0, false);
    check_decimal("0.0000000005", 9, 1, false);
    check_decimal("5e-10", 9, 1, false);
    check_decimal("5e-11", 9, 0, false);
    check_decimal("9e-999999999999999999999", 9, 0, false);
    check_decimal("0e999999999999999999999", 9, 0, true);
    check_decimal("1.5", 0, 2, false);
    static const char *const beyond[] = {
        "18446744073709551616",  "1e20", "-1", "-1e-30", "1e999999999999999999999",
        "18446744073709551615.5"};
    uint64_t value;
    bool exact;
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++)
        assert_false(decimal_read(beyond[i], 0, &value, &exact));
    static const char *const none[] = {"",    "-",  "+1",   "01",  "1.", ".5",  "1e",
                                       "1e+", "1x", "0x10", "--1", "1-", "1.e", "NaN"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_false(decimal_is_number(none[i]));
}

/* ---- Reading and messages ------------------------------------------------------------------ */

static char messages[65536]; /* of the last reading */

static void write_file(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static struct gptl_profile *read_file(const char *path, uint32_t keep)
{
    fflush(stderr);
    int before = dup(2), fd = open("messages", O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(before >= 0 && fd >= 0 && dup2(fd, 2) == 2);
    struct gptl_profile *profile = profile_read("who", path, keep);
    fflush(stderr);
    assert_int_equal(dup2(before, 2), 2);
    ssize_t n = pread(fd, messages, sizeof messages - 1, 0);
    assert_true(n >= 0);
    messages[n] = '\0';
    close(fd);
    close(before);
    /* One line that begins with the name of the command; or nothing. */
    if (profile)
        assert_string_equal(messages, "");
    else if (strncmp(messages, "who: ", 5) != 0 || strchr(messages, '\n') != messages + n - 1)
        fail_msg("the message is: %s", messages);
    return profile;
}

static struct gptl_profile *read_text(const char *text, uint32_t keep)
{
    write_file("text.json", text, strlen(text));
    return read_file("text.json", keep);
}

/* It is refused with a message that contains TEXT. */
static void check_refused(const char *text, const char *message)
{
    struct gptl_profile *profile = read_text(text, 0);
    if (profile)
        fail_msg("this was read: %s", text);
    if (!strstr(messages, message))
        fail_msg("no \"%s\" in: %s", message, messages);
}

#define HEAD "{\"format\":\"gptl-profile\",\"version\":1,"
#define NODES(nodes) HEAD "\"threads\":[{\"thread\":0,\"nodes\":[" nodes "]}]}"
#define THREAD(members) HEAD "\"threads\":[{" members "}]}"
#define NODE(id, parent)                                                                           \
    "{\"id\":" id ",\"parent\":" parent ",\"name\":\"n" id "\",\"calls\":1,\"seconds\":1}"

static void documents(void **state)
{
    (void)state;
    check_refused("{}", "this is JSON of another kind: it has no \"format\"");
    check_refused("{\"name\":\"x\",\"version\":\"1.2\"}",
                  "expected a number, not: \"1.2\"}; is this JSON of another kind? It has no "
                  "\"format\" before");
    check_refused("{\"format\":\"other\",\"version\":1}", "its \"format\" is \"other\"");
    check_refused("{\"format\":\"gptl-profile\",\"version\":2,\"x\":[}",
                  "a gptl-profile of version 2; gptl " PACKAGE_VERSION " reads version 1");
    check_refused("{\"format\":\"gptl-profile\",\"threads\":[]}", "it has no \"version\"");
    check_refused(HEAD "\"x\":1}", "it has no \"threads\"");
    check_refused(HEAD "\"threads\":[]} {", "there is more behind the end");
    check_refused(HEAD "\n\n  \"threads\" []}", "line 3, byte 13: expected a colon");
    check_refused(HEAD "\"threads\":[],}", "expected another member behind the comma");
    check_refused(HEAD "\"threads\":[] \"x\":1}", "expected a comma or }");
    check_refused(HEAD "\"threads\":{}}", "expected an array, not: {}}");
    check_refused(HEAD "\"threads\":[1]}", "expected an object, not: 1]}");
    check_refused(HEAD "\"pid\":\"x\"}", "expected a number, not: \"x\"}");
    check_refused(HEAD "\"pid\":1.5}", "\"pid\" must be a whole number from 0 to");
    check_refused(HEAD "\"pid\":-1}", "\"pid\" must be a whole number from 0 to");
    check_refused(HEAD "\"pid\":01}", "this is no number: 01");
    check_refused(HEAD "\"host\":\"a\nb\"}", "expected a character of a string, or its end");
    check_refused(HEAD "\"host\":\"\\a\"}", "behind a backslash");
    check_refused(HEAD "\"host\":\"\\u12g4\"}", "four hexadecimal digits");
    check_refused(HEAD "\"host\":\"\\ud800x\"}", "one half of a pair");
    check_refused(HEAD "\"host\":\"\\udc00\"}", "one half of a pair");
    check_refused(HEAD "\"host\":\"\\ud800\\u0041\"}", "one half of a pair");
    check_refused(HEAD "\"host\":\"a\\u0000b\"}", "a byte of 0");
    check_refused(HEAD "\"host\":\"a\\\\x00b\"}", "a byte of 0");
    check_refused(HEAD "\"elapsed\":1e999}", "too large a number");
    check_refused(HEAD "\"x\":nul}", "expected a value");
    check_refused(HEAD "\"x\":tru", "the file is cut off here");
    check_refused(HEAD "\"clock\":{\"monotonic\":1}}", "expected true or false");
    check_refused(HEAD "\"functions\":[{\"module\":0,\"address\":\"x\"}],\"threads\":[]}",
                  "function 0 is of module 0, and there is no such module");
#define METRICS(metrics) HEAD "\"metrics\":[" metrics "],"
#define VALUES(values)                                                                             \
    METRICS("{\"name\":\"A\"},{\"name\":\"D\",\"kind\":\"derived\",\"expression\":\"A/0\"}")       \
    "\"threads\":[{\"nodes\":[{\"id\":1,\"parent\":0,\"name\":\"x\",\"calls\":1,\"seconds\":1,"    \
    "\"metrics\":" values "}]}]}"
    check_refused(METRICS("{}") "\"threads\":[]}", "a metric has no \"name\"");
    check_refused(METRICS("{\"name\":\"x\",\"kind\":\"odd\"}"), "no kind \"odd\" of metrics");
    check_refused(METRICS("{\"name\":\"x\",\"scope\":\"odd\"}"), "no scope \"odd\" of metrics");
    check_refused(METRICS("{\"name\":\"x\"}") "\"metrics\":[]}", "\"metrics\" is there twice");
    check_refused(HEAD "\"threads\":[{\"nodes\":[]}],\"metrics\":[]}", "before \"threads\"");
    check_refused(VALUES("[1]"), "a node has 1 values of 2 metrics");
    check_refused(VALUES("[1,2,3]"), "a node has 3 values of 2 metrics");
    check_refused(VALUES("[]"), "a node has 0 values of 2 metrics");
    check_refused(VALUES("[1.5,2]"), "must be a whole number of 64 bits, not 1.5");
    check_refused(VALUES("[9223372036854775808,2]"), "must be a whole number of 64 bits");
    check_refused(VALUES("[-9223372036854775809,2]"), "must be a whole number of 64 bits");
    check_refused(VALUES("[1e999,2]"), "must be a whole number of 64 bits");
    check_refused(VALUES("[null,2]"), "expected a number");
    check_refused(VALUES("[NaN,2]"), "expected a number");
    check_refused(NODES("{\"metrics\":[1]}"), "no \"metrics\" before tell which");
    char deep[2000] = HEAD "\"x\":";
    memset(deep + strlen(deep), '[', 1000);
    check_refused(deep, "nested more than 200 levels deep");
}

/* Derived values are not read, but computed; an invalid expression is refused. */
static void metrics(void **state)
{
    (void)state;
    struct gptl_profile *profile = read_text(VALUES("[-9223372036854775808,null]"), 0);
    const struct gptl_copy *copy = &profile->copies[0];
    assert_int_equal(copy->extras[copy->nodes[1].extra - 1].counters[0], INT64_MIN);
    profile_free(profile);
    profile = read_text(VALUES("[9223372036854775807,7]"), 0);
    copy = &profile->copies[0];
    assert_int_equal(copy->extras[copy->nodes[1].extra - 1].counters[0], INT64_MAX);
    profile_free(profile);
    profile = read_text(
        METRICS("{\"name\":\"D\",\"kind\":\"derived\",\"expression\":\"A/\"}") "\"threads\":[]}",
        0);
    assert_int_equal(profile->metrics.metric[0].kind, GPTL_METRIC_REFUSED);
    assert_non_null(strstr(profile->metrics.metric[0].why, "A is not counted"));
    profile_free(profile);
}

static void trees(void **state)
{
    (void)state;
    check_refused(NODES(NODE("2", "1")), "the parent of node 2 is 1, which does not stand before");
    check_refused(NODES(NODE("1", "2") "," NODE("2", "0")), "the parent of node 1 is 2");
    check_refused(NODES(NODE("1", "1")), "the parent of node 1 is 1");
    check_refused(NODES(NODE("1", "0") "," NODE("1", "0")), "there is another node 1 before");
    check_refused(NODES(NODE("0", "0")), "a node cannot be 0");
    check_refused(NODES(NODE("-1", "0")), "\"id\" must be a whole number");
    check_refused(NODES(NODE("4294967296", "0")), "\"id\" must be a whole number");
    check_refused(NODES("{\"id\":1,\"parent\":0,\"name\":\"n\",\"calls\":1}"),
                  "a node has no \"seconds\"");
    check_refused(NODES("{\"id\":1,\"parent\":0,\"calls\":1,\"seconds\":1}"),
                  "a node has no \"name\"");
    check_refused(NODES("{\"id\":1,\"parent\":0,\"name\":\"n\",\"calls\":1,\"seconds\":-1}"),
                  "\"seconds\" must be a time in seconds");
    check_refused(
        NODES("{\"id\":1,\"parent\":0,\"name\":\"n\",\"calls\":1,\"seconds\":1,\"function\":0}"),
        "node 1 is of function 0, which is not among the functions");
    check_refused(
        NODES("{\"id\":1,\"parent\":0,\"name\":\"n\",\"calls\":1,\"seconds\":1,\"histogram\":[]}"),
        "histograms are divided in a way that this gptl does not know");
    check_refused(THREAD("\"thread\":0"), "this thread has no \"nodes\"");
    check_refused(THREAD("\"nodes\":[" NODE("1", "0") "],\"nodes\":[]"), "\"nodes\" twice");
#define TWO "\"nodes\":[" NODE("1", "0") "," NODE("2", "1") "]"
    check_refused(THREAD(TWO ",\"back_edges\":[{\"from\":1,\"to\":2,\"calls\":1}]"),
                  "a back edge leads from node 1 to 2, which is not above it");
    check_refused(THREAD(TWO ",\"back_edges\":[{\"from\":2,\"to\":0,\"calls\":1}]"),
                  "a back edge leads from node 2 to 0");
    check_refused(THREAD(TWO ",\"back_edges\":[{\"from\":3,\"to\":1,\"calls\":1}]"),
                  "a back edge is from node 3, and there is no such node");
    check_refused(THREAD("\"back_edges\":[{\"from\":2,\"to\":3,\"calls\":1}]," TWO),
                  "a back edge leads to node 3, and there is no such node");
    check_refused(THREAD(TWO ",\"back_edges\":[{\"from\":2,\"calls\":1}]"),
                  "a back edge must have");
    check_refused(THREAD(TWO ",\"intervals\":[{\"nodes\":[{\"node\":7}]}]"),
                  "an interval has node 7, and there is no such node");
    check_refused(THREAD("\"intervals\":[{\"nodes\":[{\"node\":0}]}]," TWO),
                  "an interval has node 0");
}

/* Ids with gaps, in any order; unknown members are skipped; equal names of several nodes. */
static void odd_trees(void **state)
{
    (void)state;
    struct gptl_profile *profile = read_text(
        HEAD "\"modules\":[{\"label\":\"m\"}],\"functions\":[{\"address\":\"m+0x1\",\"offset\":1,"
             "\"module\":0,\"name\":\"\\\\x5cxff\\\\xFF\\u00e9\\ud83d\\ude00\"}],\"threads\":[{"
             "\"nodes\":[" NODE("1073741823", "0") "," NODE(
                 "7", "1073741823") ",{\"name\":\"n7\",\"function\":0,\"id\":500000000,\"parent\":"
                                    "7,\"calls\":2,"
                                    "\"seconds\":1e-9,\"new\":{\"x\":[[{}],\"\\\"]\"]}}]}]}",
        0);
    assert_non_null(profile);
    assert_int_equal(profile->ncopies, 1);
    const struct gptl_copy *copy = profile->copies;
    assert_int_equal(copy->nnodes, 4);
    assert_int_equal(copy->ids[1], 1073741823);
    assert_int_equal(copy->nodes[2].parent, 1);
    assert_int_equal(copy->nodes[3].parent, 2);
    assert_int_equal(copy->nodes[3].total, 1);
    assert_int_equal(copy->nodes[3].min, UINT64_MAX);
    assert_string_equal(copy->nodes[2].name, "n7");
    assert_string_equal(copy->nodes[3].name, "n7");
    assert_int_not_equal(copy->nodes[3].region, copy->nodes[2].region);
    assert_ptr_equal(gptl_report_function(profile, copy->nodes[3].region), profile->functions);
    assert_null(gptl_report_function(profile, copy->nodes[2].region));
    assert_string_equal(profile->functions[0].name, "\\xff\xff\xc3\xa9\xf0\x9f\x98\x80");
    profile_free(profile);
}

/* ---- Files that are something else --------------------------------------------------------- */

static void check_file(const char *path, const char *content, size_t size, const char *message)
{
    if (content)
        write_file(path, content, size);
    struct gptl_profile *profile = read_file(path, 0);
    assert_null(profile);
    if (!strstr(messages, message))
        fail_msg("no \"%s\" in: %s", message, messages);
    unlink(path);
}

static void other_files(void **state)
{
    (void)state;
    static const char text[] = "GPTL 9.0.0 profile of /bin/x\nProcess   1 on h\n";
    static const char bare[] = "\nStats for thread 0:\n";
    check_file("missing", NULL, 0, "who: missing: No such file");
    check_file(".", NULL, 0, "who: .: this is a folder");
    check_file("empty", "", 0, "who: empty: the file is empty");
    check_file("blanks", " \n\t\n", 4, "who: blanks: the file is empty");
    check_file("timing.0", text, strlen(text), "this is a text report, and not JSON");
    check_file("timing.0", bare, strlen(bare), "this is a text report, and not JSON");
    write_file("timing.0.json", "", 0);
    check_file("timing.0", text, strlen(text),
               "this is a text report; give the JSON beside it, timing.0.json");
    check_file("timing.0.xml", "<?xml version=\"1.0\"?>\n", 22,
               "this is XML; give the JSON beside it, timing.0.json");
    unlink("timing.0.json");
    check_file("s", "GPTLsalv\0\0\0\1", 12,
               "this is the salvage file of a process that was killed");
    check_file("x.gz", "\x1f\x8b\x08", 3, "this is compressed; try: gzip -dc x.gz");
    check_file("program",
               "\x7f"
               "ELF\0\0",
               6, "this is a binary file");
    check_file("notes", "Dear all,\n", 10, "this is not a JSON report, which begins with {");
    check_file("list.json", "[1,2]", 5, "this is not a JSON report, which begins with {");
    check_file("/proc/self/mem", NULL, 0, "cannot read it: ");
}

/* ---- Damage -------------------------------------------------------------------------------- */

/* The text of a whole report, and of one with functions. */
static char *whole_text(int which)
{
    struct fixture f;
    if (which == 0)
        fixture_whole(&f);
    else
        fixture_functions(&f);
    return fixture_written(gptl_json_write, &f.profile);
}

static void cut_anywhere(void **state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        char *text = whole_text(which);
        size_t size = strlen(text);
        for (size_t n = 0; n < size - 1; n++) {
            write_file("cut.json", text, n);
            if (read_file("cut.json", 0))
                fail_msg("its first %zu bytes were read", n);
            if (n > 0 && !strstr(messages, "cut off"))
                fail_msg("of the first %zu bytes it says %s", n, messages);
        }
        free(text);
    }
    unlink("cut.json");
}

/* Each byte is changed in several ways: the result is read or refused, with one message. */
static void changed_anywhere(void **state)
{
    (void)state;
    static const char others[] = "\0\"\\{}[],:-09.e \n\xff";
    char *text = whole_text(0);
    size_t size = strlen(text), refused = 0, read = 0;
    for (size_t i = 0; i < size; i++) {
        char before = text[i];
        for (size_t k = i % 3; k < sizeof others; k += 3) {
            text[i] = k < sizeof others - 1 ? others[k] : (char)(before ^ 1);
            write_file("changed.json", text, size);
            struct gptl_profile *profile = read_file("changed.json", 0);
            *(profile ? &read : &refused) += 1;
            profile_free(profile);
        }
        text[i] = before;
    }
    assert_true(refused > size && read > size / 4);
    free(text);
    unlink("changed.json");
}

/* ---- Trees that are cut -------------------------------------------------------------------- */

enum { NTREE = 5000, KEPT = 100 };

/* A tree to be read, and the expected result. */
struct model {
    uint32_t parent[NTREE + 1];
    uint64_t total[NTREE + 1], calls[NTREE + 1];
    bool kept[NTREE + 1];
    uint64_t counted[NTREE + 1][2]; /* the sums of the rest below it, and how many of them are … */
    uint64_t below[NTREE + 1];
    uint64_t untimed[NTREE + 1]; /* … and calls in all that were not timed */
    uint32_t above[NTREE + 1];   /* the nearest kept node, from the parent on */
    uint64_t rest_calls[NTREE + 1], rest_total[NTREE + 1];
    uint32_t nrests;
};

static const uint64_t *sort_totals;

static int by_total(const void *a, const void *b)
{
    uint64_t x = sort_totals[*(const uint32_t *)a], y = sort_totals[*(const uint32_t *)b];
    return x > y ? -1 : x < y;
}

/* No two times are equal, and each is longer than the sum of those below it. */
static void make_model(struct model *m)
{
    uint32_t order[NTREE];
    memset(m, 0, sizeof *m);
    for (uint32_t i = 1; i <= NTREE; i++) {
        m->parent[i] = i < 4    ? i - 1
                       : i < 41 ? 1 + fixture_random(i - 1)
                                : i - 40 + fixture_random(40);
        m->calls[i] = 1 + fixture_random(1000);
        m->total[i] = 1 + fixture_random(1000000);
        order[i - 1] = i;
    }
    for (uint32_t i = NTREE; i > 0; i--) {
        m->total[i] = m->total[i] * NTREE + i;
        m->total[m->parent[i]] += m->total[i] / NTREE;
    }
    sort_totals = m->total;
    qsort(order, NTREE, sizeof *order, by_total);
    m->kept[0] = true;
    for (uint32_t i = 0; i < KEPT; i++)
        m->kept[order[i]] = true;
    for (uint32_t i = 1; i <= NTREE; i++) {
        uint32_t p = m->parent[i];
        assert_true(m->kept[p] || !m->kept[i]);
        m->above[i] = m->kept[p] ? p : m->above[p];
        if (m->kept[i])
            continue;
        m->nrests += m->rest_calls[m->above[i]] == 0;
        m->rest_calls[m->above[i]] += m->calls[i];
        m->rest_total[m->above[i]] += m->kept[p] ? m->total[i] : 0;
        m->untimed[m->above[i]] += m->calls[i] / 2;
        if (m->kept[p]) {
            m->below[p]++;
            m->counted[p][0] += m->calls[i];
            m->counted[p][1] += i;
        }
    }
}

/* As JSON, its lists in the order of LISTS; ids are three times the index. */
static void write_model(const struct model *m, const char *lists)
{
    FILE *file = fopen("model.json", "w");
    assert_non_null(file);
    fprintf(file,
            HEAD "\"buckets\":{\"number\":%d,\"linear\":32,\"parts\":32},"
                 "\"refused\":[{\"name\":\"C\",\"why\":\"no such event\"}],"
                 "\"metrics\":[{\"name\":\"A\",\"kind\":\"counted\"},"
                 "{\"name\":\"R\",\"kind\":\"derived\",\"expression\":\"B/A\"},"
                 "{\"name\":\"B\",\"kind\":\"counted\"}],\"threads\":[{",
            GPTL_HISTOGRAM_BUCKETS);
    for (const char *list = lists; *list; list++) {
        fprintf(file, list > lists ? "," : "");
        fprintf(file, *list == 'n'   ? "\"nodes\":["
                      : *list == 'e' ? "\"back_edges\":["
                                     : "\"intervals\":[{\"label\":\"l\",\"marks\":1,\"nodes\":[");
        for (uint32_t k = 1; k <= NTREE; k++) {
            uint32_t i = *list == 'i' ? NTREE + 1 - k : k; /* children before parents */
            unsigned long long calls = m->calls[i], s = m->total[i] / SECOND,
                               ns = m->total[i] % SECOND;
            fprintf(file, k > 1 ? ",\n" : "\n");
            if (*list == 'n')
                fprintf(
                    file,
                    "{\"id\":%u,\"parent\":%u,\"name\":\"n%u\",\"calls\":%llu,\"recurse\":0,"
                    "\"seconds\":%llu.%09llu,\"max\":1,\"min\":0.5,\"latest\":1,\"usr\":0.000002,"
                    "\"sys\":0,\"timed\":%llu,\"error\":0.000000003,\"metrics\":[%llu,0.5,-%u],"
                    "\"histogram\":[[5,%llu]]}",
                    3 * i, 3 * m->parent[i], i, calls, s, ns, (calls + 1) / 2, calls, i, calls);
            else if (*list == 'e')
                fprintf(file, "{\"id\":%u,\"from\":%u,\"to\":3,\"calls\":%llu}", 3 * i + 1, 3 * i,
                        calls);
            else
                fprintf(file,
                        "{\"node\":%u,\"calls\":%llu,\"seconds\":%llu.%09llu,\"max\":1,\"min\":1}",
                        3 * i, calls, s, ns);
        }
        fprintf(file, *list == 'i' ? "]}]" : "]");
    }
    fprintf(file, "}]}\n");
    assert_int_equal(fclose(file), 0);
}

static bool is_rest(const struct gptl_node_copy *node)
{
    return strcmp(node->name, "(rest)") == 0;
}

/* Sums of calls from each kept node, and from the rest below it, by the kept node's index. */
static void check_edges(const struct gptl_copy *copy, const struct model *m)
{
    uint64_t all = 0, wanted = 0;
    for (uint32_t row = 1; row < copy->nnodes; row++) {
        const struct gptl_node_copy *edge = &copy->nodes[row];
        if (edge->target == row)
            continue;
        const struct gptl_node_copy *from = &copy->nodes[edge->parent];
        assert_true(edge->parent < row && from->target == edge->parent);
        assert_string_equal(edge->name, "n1");
        assert_int_equal(copy->ids[edge->target], 3);
        assert_int_equal(edge->region, copy->nodes[edge->target].region);
        if (is_rest(from))
            assert_int_equal(edge->count, m->rest_calls[copy->ids[from->parent] / 3]);
        else
            assert_int_equal(edge->count, m->calls[copy->ids[edge->parent] / 3]);
        all += edge->count;
    }
    /* Only as many rows as kept nodes, and those from the rests have more calls than others. */
    for (uint32_t i = 1; i <= NTREE; i++)
        wanted += m->calls[i];
    assert_true(all <= wanted && all > wanted / 2);
}

static void check_interval(const struct gptl_copy *copy, const struct model *m)
{
    assert_int_equal(copy->nintervals, 1);
    const struct gptl_interval *interval = &copy->intervals[0];
    assert_int_equal(interval->nrows, KEPT + m->nrests);
    for (uint32_t i = 0; i < interval->nrows; i++) {
        const struct gptl_interval_row *row = &interval->rows[i];
        const struct gptl_node_copy *node = &copy->nodes[row->node];
        assert_int_equal(node->target, row->node);
        assert_int_equal(row->count, node->count);
        assert_int_equal(row->total, node->total);
    }
}

static void check_cut(const struct gptl_copy *copy, const struct model *m)
{
    uint32_t kept = 0, rests = 0;
    for (uint32_t row = 1; row < copy->nnodes; row++) {
        const struct gptl_node_copy *node = &copy->nodes[row];
        assert_true(node->parent < row);
        if (node->target != row)
            continue;
        uint32_t of = copy->ids[is_rest(node) ? node->parent : row] / 3;
        assert_int_equal(node->total, is_rest(node) ? m->rest_total[of] : m->total[of]);
        assert_int_equal(node->count, is_rest(node) ? m->rest_calls[of] : m->calls[of]);
        assert_int_equal(node->max, SECOND);
        assert_int_equal(node->min, SECOND / 2);
        assert_true(is_rest(node) || m->kept[of]);
        assert_true(is_rest(node) || copy->ids[node->parent] == 3 * m->parent[of]);
        *(is_rest(node) ? &rests : &kept) += 1;
        assert_true(node->extra > 0);
        const struct gptl_extra_copy *extra = &copy->extras[node->extra - 1];
        assert_int_equal(extra->counters[0], is_rest(node) ? m->counted[of][0] : m->calls[of]);
        assert_int_equal(-extra->counters[1], is_rest(node) ? m->counted[of][1] : of);
        assert_int_equal(extra->error, 3 * (is_rest(node) ? m->below[of] : 1));
        assert_int_equal(node->count - extra->timed,
                         is_rest(node) ? m->untimed[of] : m->calls[of] / 2);
        assert_true(is_rest(node) ? !extra->histogram && extra->values[0] % 2 == 0
                                  : extra->histogram->bucket[5] == node->count);
    }
    assert_int_equal(kept, KEPT);
    assert_int_equal(rests, m->nrests);
}

static void cut_trees(void **state)
{
    (void)state;
    static struct model m;
    static const char *const orders[] = {"nei", "ein", "ine"};
    make_model(&m);
    for (int i = 0; i < 3; i++) {
        write_model(&m, orders[i]);
        struct gptl_profile *profile = read_file("model.json", KEPT);
        assert_non_null(profile);
        const struct gptl_metrics *metrics = &profile->metrics;
        assert_int_equal(metrics->n, 4);
        assert_int_equal(metrics->nslots, 2);
        assert_string_equal(metrics->metric[3].why, "no such event");
        assert_int_equal(metrics->metric[1].kind, GPTL_METRIC_DERIVED);
        check_cut(&profile->copies[0], &m);
        check_edges(&profile->copies[0], &m);
        check_interval(&profile->copies[0], &m);
        profile_free(profile);
        /* Without a limit, or with a high one, the tree is complete. */
        for (uint32_t keep = 0; keep <= NTREE; keep += NTREE) {
            profile = read_file("model.json", keep);
            assert_int_equal(profile->copies[0].nnodes, 1 + 2 * NTREE);
            assert_int_equal(profile->copies[0].intervals[0].nrows, NTREE);
            profile_free(profile);
        }
    }
    unlink("model.json");
}

/* Each node below the previous one. */
static void deep_tree(void **state)
{
    (void)state;
    enum { DEEP = 100000 };
    FILE *file = fopen("deep.json", "w");
    fprintf(file, HEAD "\"threads\":[{\"nodes\":[");
    for (int i = 1; i <= DEEP; i++)
        fprintf(file, "%s\n{\"id\":%d,\"parent\":%d,\"name\":\"n\",\"calls\":1,\"seconds\":%d}",
                i > 1 ? "," : "", i, i - 1, DEEP - i);
    fprintf(file, "],\"back_edges\":[");
    for (int i = 1; i <= DEEP; i++)
        fprintf(file, "%s\n{\"from\":%d,\"to\":1,\"calls\":1}", i > 1 ? "," : "", i);
    fprintf(file, "]}]}");
    assert_int_equal(fclose(file), 0);
    struct gptl_profile *profile = read_file("deep.json", 0);
    assert_int_equal(profile->copies[0].nnodes, 1 + 2 * DEEP);
    profile_free(profile);
    profile = read_file("deep.json", 10);
    const struct gptl_copy *copy = &profile->copies[0];
    assert_int_equal(copy->nnodes, 1 + 10 + 1 + 10);
    uint64_t calls = 0, edges = 0;
    for (uint32_t row = 1; row < copy->nnodes; row++)
        *(copy->nodes[row].target == row ? &calls : &edges) += copy->nodes[row].count;
    assert_int_equal(calls, DEEP);
    assert_int_equal(edges, DEEP - 1);
    profile_free(profile);
    unlink("deep.json");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),      cmocka_unit_test(documents),
        cmocka_unit_test(metrics),      cmocka_unit_test(trees),
        cmocka_unit_test(odd_trees),    cmocka_unit_test(other_files),
        cmocka_unit_test(cut_anywhere), cmocka_unit_test(changed_anywhere),
        cmocka_unit_test(cut_trees),    cmocka_unit_test(deep_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
