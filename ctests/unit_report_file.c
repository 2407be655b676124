/*
 * unit_report_file.c - report files appear complete or not at all, and existing files are never
 * lost.
 */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "report_fixture.h"

#include "report/file.h"

static void put_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void check_file(const char *path, const char *expected)
{
    char *text = fixture_read(path);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

/* Files in the working directory that are not results: temporary ones. */
static int count_temporary(void)
{
    int n = 0;
    DIR *dir = opendir(".");
    for (struct dirent *entry; (entry = readdir(dir));)
        n += strstr(entry->d_name, ".tmp.") != NULL;
    closedir(dir);
    return n;
}

static int write_file(const char *path, bool append, const char *text)
{
    struct gptl_file file;
    if (gptl_file_open(&file, "test", path, append))
        return -1;
    gptl_out_text(file.out, text);
    return gptl_file_close(&file, true);
}

/* One error was reported, and no files remain. */
static void check_failure(const char *path, bool append)
{
    int before = GPTLnum_errors();
    assert_int_equal(write_file(path, append, "text"), -1);
    assert_int_equal(GPTLnum_errors(), before + 1);
    assert_int_equal(count_temporary(), 0);
}

static void new_and_replaced(void **state)
{
    (void)state;
    struct stat st;
    assert_int_equal(write_file("a", false, "one"), 0);
    check_file("a", "one");
    assert_int_equal(chmod("a", 0640), 0);
    assert_int_equal(write_file("a", false, "two"), 0);
    check_file("a", "two");
    assert_int_equal(stat("a", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    assert_int_equal(count_temporary(), 0);
    unlink("a");
}

static void invisible_until_complete(void **state)
{
    (void)state;
    struct gptl_file file;
    put_file("a", "old");
    assert_int_equal(gptl_file_open(&file, "test", "a", false), 0);
    gptl_out_text(file.out, "new");
    gptl_out_flush(file.out);
    check_file("a", "old");
    assert_int_equal(gptl_file_close(&file, false), -1);
    check_file("a", "old");
    assert_int_equal(count_temporary(), 0);
    unlink("a");
}

static void appended(void **state)
{
    (void)state;
    struct gptl_file file;
    assert_int_equal(write_file("a", true, "one\n"), 0);
    assert_int_equal(write_file("a", true, "two\n"), 0);
    check_file("a", "one\n\ntwo\n");
    assert_int_equal(gptl_file_open(&file, "test", "a", true), 0);
    gptl_out_text(file.out, "half");
    gptl_out_flush(file.out);
    assert_int_equal(gptl_file_close(&file, false), -1);
    check_file("a", "one\n\ntwo\n");
    unlink("a");
}

static void links_are_followed(void **state)
{
    (void)state;
    struct stat st;
    put_file("target", "old");
    assert_int_equal(symlink("target", "link"), 0);
    assert_int_equal(write_file("link", false, "new"), 0);
    check_file("target", "new");
    assert_int_equal(lstat("link", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    unlink("link");
    unlink("target");
}

static void places_that_do_not_work(void **state)
{
    (void)state;
    assert_int_equal(mkdir("dir", 0755), 0);
    assert_int_equal(mkfifo("pipe", 0644), 0);
    check_failure("missing/a", false);
    check_failure("missing/a", true);
    check_failure("dir", false);
    check_failure("pipe", false); /* no reader: must not wait */
    if (geteuid() != 0) {
        assert_int_equal(chmod("dir", 0555), 0);
        check_failure("dir/a", false);
    }
    unlink("pipe");
    rmdir("dir");
}

/* The kernel would end the process with SIGXFSZ. The limit leaves room for messages on stderr. */
static void full(void **state)
{
    (void)state;
    struct rlimit before, small;
    size_t limit = 1 << 20;
    char *text = malloc(2 * limit);
    memset(text, 'x', 2 * limit);
    text[2 * limit - 1] = '\0';
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = limit;
    put_file("old", "12");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int errors = GPTLnum_errors();
    int fresh = write_file("a", false, text), more = write_file("old", true, text);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(fresh, -1);
    assert_int_equal(more, -1);
    assert_int_equal(GPTLnum_errors(), errors + 2);
    assert_int_equal(access("a", F_OK), -1);
    check_file("old", "12");
    assert_int_equal(count_temporary(), 0);
    unlink("old");
    free(text);
    if (access("/dev/full", W_OK) == 0)
        check_failure("/dev/full", false);
}

static void closed_pipe(void **state)
{
    (void)state;
    int fd[2], errors = GPTLnum_errors();
    char path[32];
    sigset_t pending;
    assert_int_equal(pipe(fd), 0);
    close(fd[0]);
    snprintf(path, sizeof path, "/dev/fd/%d", fd[1]);
    assert_int_equal(write_file(path, false, "text"), -1);
    assert_int_equal(GPTLnum_errors(), errors + 1);
    assert_int_equal(sigpending(&pending), 0);
    assert_false(sigismember(&pending, SIGPIPE));
    close(fd[1]);
}

/* The name of a descriptor refers to its file, at the program's current offset in it. */
static void descriptors(void **state)
{
    (void)state;
    char path[32];
    int fd = open("a", O_WRONLY | O_CREAT, 0644);
    assert_int_equal(write(fd, "host ", 5), 5);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert_int_equal(write_file(path, false, "report "), 0);
    assert_int_equal(write(fd, "host", 4), 4);
    close(fd);
    check_file("a", "host report host");
    assert_int_equal(write_file("/dev/null", false, "text"), 0);
    unlink("a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_and_replaced),
        cmocka_unit_test(invisible_until_complete),
        cmocka_unit_test(appended),
        cmocka_unit_test(links_are_followed),
        cmocka_unit_test(places_that_do_not_work),
        cmocka_unit_test(full),
        cmocka_unit_test(closed_pipe),
        cmocka_unit_test(descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
