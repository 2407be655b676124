/* io_streams FORM: one form of file access by streams; "all" lists the forms. */
#define _GNU_SOURCE
#include <assert.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <locale.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>
#include <wchar.h>

static FILE *out(const char *mode)
{
    return fopen("out", mode);
}

static void errors_to_file(void)
{
    if (!freopen("errors", "w", stderr))
        _exit(9);
}

static void put_inline(void)
{
    FILE *f = out("w");
    for (int i = 0; i < 100000; i++)
        putc_unlocked('a' + i % 26, f);
    fclose(f);
    f = out("r");
    while (getc_unlocked(f) != EOF)
        continue;
    fclose(f);
}

static void lines(void)
{
    FILE *f = out("w");
    setvbuf(f, NULL, _IOLBF, 0);
    for (int i = 0; i < 50; i++) {
        fprintf(f, "n=%d", i);
        putc_unlocked('\n', f);
    }
    fclose(f);
    f = out("a");
    setvbuf(f, NULL, _IONBF, 0);
    fputs("unbuffered", f);
    fprintf(f, "%d %s %f", 1, "two", 3.0);
    fputc('x', f);
    fclose(f);
}

static void words(void)
{
    char own[32];
    int item[100];
    FILE *f = out("w+");
    setvbuf(f, own, _IOFBF, sizeof own);
    fwrite("0123456789abcdef0123456789abcdef0123456789", 1, 42, f);
    rewind(f);
    fread(item, sizeof *item, 100, f);
    fseek(f, 3, SEEK_SET);
    fputs("xyz", f);
    fseek(f, -2, SEEK_CUR);
    ungetc('q', f);
    fgetc(f);
    fgetc(f);
    fflush(f);
    fseek(f, 0, SEEK_END);
    putw(7, f);
    fclose(f);
}

static void wide(void)
{
    wchar_t text[100];
    setlocale(LC_ALL, "C.UTF-8");
    FILE *f = out("w");
    for (int i = 0; i < 3000; i++)
        fputws(L"\x00e9\x4f60\n", f);
    fwprintf(f, L"%ls %d\n", L"\x4f60\x597d", 5);
    fputwc(0x4f60, f);
    putwc_unlocked('x', f);
    fclose(f);
    f = out("r");
    while (fgetws(text, 100, f))
        continue;
    fclose(f);
    f = out("r");
    wint_t c = getwc(f);
    ungetwc(c, f);
    fwscanf(f, L"%99ls", text);
    fclose(f);
    f = fopen("utf16", "w,ccs=UTF-16LE");
    if (f) {
        fputws(L"abc\x4f60", f);
        fclose(f);
    }
}

static void scans(void)
{
    FILE *f = out("w");
    for (int i = 0; i < 3000; i++)
        fprintf(f, "%d,", i);
    fclose(f);
    f = out("r");
    for (int n; fscanf(f, "%d,", &n) == 1;)
        continue;
    fclose(f);
    char *line = NULL;
    size_t size = 0;
    f = out("r");
    getdelim(&line, &size, ',', f);
    getline(&line, &size, f);
    fclose(f);
    free(line);
}

static void half_read(void)
{
    words();
    char text[4];
    FILE *f = out("r");
    fgets(text, sizeof text, f);
    fclose(f);
    if (!freopen("out", "r", stdin))
        _exit(9);
    getchar();
    ungetc('x', stdin);
}

static void messages(void)
{
    errors_to_file();
    errno = ENOENT;
    perror("what");
    error(0, ENOENT, "with %d", 1);
    error_at_line(0, 0, "file", 3, "at line");
    warn("warn %d", 2);
    warnx("warnx");
    psignal(SIGTERM, "signal");
    siginfo_t info = {.si_signo = SIGTERM};
    psiginfo(&info, "info");
    fputws(L"", stderr);
    puts("to stdout");
    printf("%d", 1);
    openlog("ident", LOG_PERROR, LOG_USER);
    syslog(LOG_INFO, "logged %d", 4);
    closelog();
    errx(0, "the end");
}

static void get_out(void)
{
    FILE *f = out("w"), *g = fopen("other", "w");
    fputs("flushed by exit", f);
    fputs("and this one", g);
    if (!freopen("third", "w", stdout))
        _exit(9);
    putchar_unlocked('x');
    exit(0);
}

static void lost(void)
{
    FILE *f = out("w");
    for (int i = 0; i < 5000; i++)
        putc_unlocked('a', f);
    _exit(0);
}

static void quick(void)
{
    FILE *f = out("w");
    for (int i = 0; i < 5000; i++)
        putc_unlocked('a', f);
    quick_exit(0);
}

static void forks(void)
{
    FILE *f = out("w");
    fputs("written by both ", f);
    if (fork() == 0) {
        fputs("child", f);
        exit(0);
    }
    wait(NULL);
    fputs("parent", f);
    fclose(f);
}

static void fails(void)
{
    FILE *f = out("w");
    setvbuf(f, NULL, _IOFBF, 64);
    close(fileno(f));
    for (int i = 0; i < 200; i++)
        putc_unlocked('a', f);
    fclose(f);
    f = fopen("/dev/full", "w");
    fputs("no room", f);
    fclose(f);
}

static void asserts(void)
{
    errors_to_file();
    if (fork() == 0) {
        fputs("before ", out("w"));
        assert(!"this");
    }
    wait(NULL);
}

static void others(void)
{
    char memory[100], *more = NULL;
    size_t size = 0;
    FILE *f = fmemopen(memory, sizeof memory, "w");
    fputs("to memory", f);
    fclose(f);
    f = open_memstream(&more, &size);
    fputs("to memory", f);
    fclose(f);
    free(more);
    f = popen("cat >out", "w");
    fputs("through a pipe\n", f);
    pclose(f);
    f = popen("cat out", "r");
    while (getc(f) != EOF)
        continue;
    pclose(f);
    f = tmpfile();
    fputs("temporary", f);
    rewind(f);
    getc(f);
    fclose(f);
    f = out("rm");
    while (getc(f) != EOF)
        continue;
    fclose(f);
    f = out("a+");
    getc(f);
    fseek(f, 0, SEEK_CUR);
    fputs("appended", f);
    fcloseall();
}

static void reopened(void)
{
    FILE *f = out("w");
    fputs("first", f);
    f = freopen("other", "w", f);
    fputs("second", f);
    f = freopen(NULL, "a", f);
    fputs("third", f);
    fclose(f);
    f = fdopen(dup(1), "w");
    fputs("by a duplicate", f);
    fclose(f);
    dprintf(1, "%s", "directly");
    getpwuid(getuid());
}

static void *one_thread(void *f)
{
    for (int i = 0; i < 5000; i++)
        fprintf(f, "%d\n", i);
    return NULL;
}

static void threads(void)
{
    pthread_t t[4];
    FILE *f = out("w");
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, one_thread, f);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    fclose(f);
}

static const struct {
    const char *name;
    void (*run)(void);
} forms[] = {{"put_inline", put_inline},
             {"lines", lines},
             {"words", words},
             {"wide", wide},
             {"scans", scans},
             {"half_read", half_read},
             {"messages", messages},
             {"get_out", get_out},
             {"lost", lost},
             {"quick", quick},
             {"forks", forks},
             {"fails", fails},
             {"asserts", asserts},
             {"others", others},
             {"reopened", reopened},
             {"threads", threads}};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (argc < 2)
            puts(forms[i].name);
        else if (strcmp(argv[1], forms[i].name) == 0)
            forms[i].run();
    return 0;
}
