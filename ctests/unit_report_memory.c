/*
 * unit_report_memory.c - each allocation of a report fails once: that is an error, not a crash, and
 * nothing leaks. The allocator is replaced here, in front of the C library's.
 */
#include "config.h"

#include <fcntl.h>
#include <stdatomic.h>

#include "report_fixture.h"

#include "ranks/print.h"
#include "report/json.h"
#include "report/output.h"
#include "report/text.h"
#include "report/xml.h"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *p);

/* The compiler assumes that malloc and free change no variable: so, atomics. */
static atomic_long until_failure = -1, blocks; /* blocks that are not freed */

static int fails(void)
{
    return until_failure >= 0 && until_failure-- == 0;
}

static void *counted(void *p)
{
    blocks += p != NULL;
    return p;
}

/* The C library itself calls these too, if they are visible there. */
#pragma GCC visibility push(default)

void *malloc(size_t size)
{
    return fails() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : counted(__libc_calloc(n, size));
}

void *realloc(void *old, size_t size)
{
    if (fails())
        return NULL;
    return old ? __libc_realloc(old, size) : counted(__libc_malloc(size));
}

void free(void *p)
{
    blocks -= p != NULL;
    __libc_free(p);
}

#pragma GCC visibility pop

static struct fixture f;

/* Two threads with data for every section of a report. */
static void make_profile(void)
{
    static struct gptl_histogram h;
    static struct gptl_interval_row row = {1, 1, 1, 1, 1};
    static struct gptl_interval interval = {"mark", 1, 1, &row};
    fixture_omptest(&f);
    f.profile.has_overhead = true;
    for (int t = 0; t < 2; t++) {
        gptl_core_histogram_add(&h, 5);
        fixture_extra(&f, t, 1)->histogram = &h;
        fixture_add(&f, t, 1, "C", 3, 3);
        f.copies[t].nintervals = 1;
        f.copies[t].intervals = &interval;
    }
}

static int write_text(void)
{
    struct gptl_style style = {.wall = true,
                               .cpu = true,
                               .percent = true,
                               .histogram = true,
                               .overhead = true,
                               .subtract = true,
                               .narrow = true,
                               .persec = true,
                               .quote = true,
                               .preamble = true,
                               .multparent = true,
                               .callers = true,
                               .threadsort = true,
                               .collision = true,
                               .method = GPTLmost_frequent};
    struct gptl_out *out = gptl_out_new(open("/dev/null", O_WRONLY));
    int result = out ? gptl_text_write(out, &f.profile, &style) : -1;
    if (out)
        close(out->fd);
    free(out);
    return result;
}

/* The work of rank 0 with the trees of two ranks. */
static int write_summary(void)
{
    struct gptl_ranks_tree trees[3] = {{0}};
    struct gptl_ranks_result summary = {0};
    struct gptl_out *out = gptl_out_new(open("/dev/null", O_WRONLY));
    int result = out ? 0 : -1;
    for (int k = 0; k < 2 && result == 0; k++)
        result = gptl_ranks_make(&trees[k], &f.profile, k);
    if (result == 0)
        result = gptl_ranks_merge(&trees[2], &trees[0], &trees[1]);
    if (result == 0) {
        result = gptl_ranks_result_make(&summary, &f.profile, &trees[2]);
        if (result == 0)
            result = gptl_ranks_text(out, &summary) || gptl_ranks_json(out, &summary) ? -1 : 0;
        gptl_ranks_result_free(&summary);
    }
    for (int k = 0; k < 3; k++)
        gptl_ranks_tree_free(&trees[k]);
    if (out)
        close(out->fd);
    free(out);
    return result;
}

static int write_document(fixture_writer *writer)
{
    struct gptl_out *out = gptl_out_new(open("/dev/null", O_WRONLY));
    int result = out ? writer(out, &f.profile) : -1;
    if (out)
        close(out->fd);
    free(out);
    return result;
}

static int write_json(void)
{
    return write_document(gptl_json_write);
}

static int write_xml(void)
{
    return write_document(gptl_xml_write);
}

static int write_file(void)
{
    return gptl_report_write("test", &f.profile, "a");
}

/* Without memory for its command line a document lacks that and is complete otherwise. */
static void each_fails(int (*write)(void), int may_pass)
{
    int passed = 0;
    assert_int_equal(write(), 0); /* one-time allocations happen now */
    for (long n = 0; n < 1000; n++) {
        long before = blocks;
        until_failure = n;
        int result = write();
        bool failed = until_failure < 0;
        until_failure = -1;
        assert_int_equal(blocks, before);
        if (!failed) {
            assert_int_equal(result, 0);
            assert_true(n > 2);
            assert_true(passed <= may_pass);
            return;
        }
        passed += result == 0;
    }
    fail();
}

static void text(void **state)
{
    (void)state;
    each_fails(write_text, 0);
}

static void summary(void **state)
{
    (void)state;
    each_fails(write_summary, 0);
}

static void json(void **state)
{
    (void)state;
    each_fails(write_json, 1);
}

static void json_with_callers(void **state)
{
    (void)state;
    assert_int_equal(gptl_core_set_options("dopr_callers=on", "test"), 0);
    each_fails(write_json, 1);
    assert_int_equal(gptl_core_set_options("dopr_callers=off", "test"), 0);
}

static void xml(void **state)
{
    (void)state;
    each_fails(write_xml, 1);
}

static void file(void **state)
{
    (void)state;
    each_fails(write_file, 0);
    unlink("a");
}

/* Whether this allocator is the C library's too: under valgrind it is not. */
static bool is_everywhere(void)
{
    long before = blocks;
    char *copy = strdup("text");
    bool everywhere = blocks == before + 1;
    free(copy);
    return everywhere;
}

int main(void)
{
    if (!is_everywhere()) {
        puts("SKIPPED: the allocator cannot be replaced here");
        return 77;
    }
    make_profile();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text), cmocka_unit_test(summary),
        cmocka_unit_test(json), cmocka_unit_test(json_with_callers),
        cmocka_unit_test(xml),  cmocka_unit_test(file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    puts("SKIPPED: the allocator cannot be replaced here");
    return 77;
}

#endif
