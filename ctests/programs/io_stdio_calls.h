/* io_stdio_calls.h - the part of io_calls.c about streams. */

static FILE *stream;

#define GIVES(type_, name, ret, params, args, bytes)                                               \
    do {                                                                                           \
        ret(*function) params = (ret(*) params)find(#name);                                        \
        if (function) {                                                                            \
            (void)(function args);                                                                 \
            begin(type_, fileno(stream));                                                          \
            told(#name, bytes);                                                                    \
        }                                                                                          \
    } while (0)
#define OUT(name, ret, params, args, bytes) GIVES("stdio_write", name, ret, params, args, bytes)
#define IN(name, ret, params, args, bytes) GIVES("stdio_read", name, ret, params, args, bytes)
#define ON(name, ret, params, args, result) GIVES("stdio", name, ret, params, args, result)

static FILE *opened(const char *call, FILE *f, const char *path)
{
    begin("stdio", f ? fileno(f) : -1);
    want.made = f ? fileno(f) : NO;
    if (!f || !path)
        want.path = path;
    told(call, f ? 0 : -errno);
    return f;
}

static void close_stream(void)
{
    begin("stdio", fileno(stream));
    want.gone = fileno(stream);
    told("fclose", fclose(stream));
}

static int with_list(const char *name, ...)
{
    va_list list;
    va_start(list, name);
    int n = -1;
    int (*narrow)(FILE *, const char *, va_list) =
        (int (*)(FILE *, const char *, va_list))find(name);
    int (*checked)(FILE *, int, const char *, va_list) =
        (int (*)(FILE *, int, const char *, va_list))(void *)narrow;
    int (*wide)(FILE *, const wchar_t *, va_list) =
        (int (*)(FILE *, const wchar_t *, va_list))(void *)narrow;
    int (*wide_checked)(FILE *, int, const wchar_t *, va_list) =
        (int (*)(FILE *, int, const wchar_t *, va_list))(void *)narrow;
    bool is_wide = strchr(name, 'w') != NULL, is_checked = strstr(name, "_chk") != NULL;
    bool is_scan = strstr(name, "scanf") != NULL;
    if (!narrow)
        n = -1;
    else if (is_wide && is_checked)
        n = wide_checked(stream, 0, L"%d", list);
    else if (is_wide)
        n = wide(stream, L"%d", list);
    else if (is_checked)
        n = checked(stream, 0, "%d", list);
    else
        n = narrow(stream, "%d", list);
    va_end(list);
    if (narrow) {
        begin(is_scan ? "stdio" : "stdio_write", fileno(stream));
        told(name, n);
    }
    return n;
}

static int descriptor_list(const char *name, int to, ...)
{
    va_list list;
    va_start(list, to);
    int n = -1;
    if (strstr(name, "_chk"))
        n = ((int (*)(int, int, const char *, va_list))find(name))(to, 0, "%d", list);
    else
        n = ((int (*)(int, const char *, va_list))find(name))(to, "%d", list);
    va_end(list);
    return n;
}

static void writing(void)
{
    stream = opened("fopen", fopen("stream", "w+"), "stream");
    OUT(fwrite, size_t, (const void *, size_t, size_t, FILE *), (buffer, 4, 5, stream), 20);
    OUT(fwrite_unlocked, size_t, (const void *, size_t, size_t, FILE *), (buffer, 4, 6, stream),
        24);
    OUT(fputs, int, (const char *, FILE *), ("hello\n", stream), 6);
    OUT(fputs_unlocked, int, (const char *, FILE *), ("hello", stream), 5);
    OUT(putw, int, (int, FILE *), (7, stream), 4);
    OUT(fprintf, int, (FILE *, const char *, ...), (stream, "%s!", "hi"), 3);
    OUT(__fprintf_chk, int, (FILE *, int, const char *, ...), (stream, 0, "%d", 1234), 4);
    with_list("vfprintf", 123);
    with_list("__vfprintf_chk", 1234);
    /* Characters: two in a row are one record. */
    ((int (*)(int, FILE *))find("fputc"))('a', stream);
    OUT(fputc, int, (int, FILE *), ('b', stream), 2);
    OUT(fputc_unlocked, int, (int, FILE *), ('b', stream), 1);
    OUT(putc, int, (int, FILE *), ('b', stream), 1);
    OUT(_IO_putc, int, (int, FILE *), ('b', stream), 1);
    OUT(putc_unlocked, int, (int, FILE *), ('\n', stream), 1);
    ON(fflush, int, (FILE *), (stream), 0);
    ON(fflush_unlocked, int, (FILE *), (stream), 0);
    OUT(__overflow, int, (FILE *, int), (stream, 'x'), 1);
    close_stream();
}

static void wide_writing(void)
{
    stream = opened(
        "fopen64", ((FILE * (*)(const char *, const char *)) find("fopen64"))("wide", "w"), "wide");
    OUT(fputws, int, (const wchar_t *, FILE *), (L"wide\n", stream), 5);
    OUT(fputws_unlocked, int, (const wchar_t *, FILE *), (L"wide", stream), 4);
    OUT(fwprintf, int, (FILE *, const wchar_t *, ...), (stream, L"%d", 12), 2);
    OUT(__fwprintf_chk, int, (FILE *, int, const wchar_t *, ...), (stream, 0, L"%d\n", 12), 3);
    with_list("vfwprintf", 77);
    with_list("__vfwprintf_chk", 778);
    OUT(fputwc, wint_t, (wchar_t, FILE *), (L'x', stream), 1);
    OUT(fputwc_unlocked, wint_t, (wchar_t, FILE *), (L'x', stream), 1);
    OUT(putwc, wint_t, (wchar_t, FILE *), (L'x', stream), 1);
    OUT(putwc_unlocked, wint_t, (wchar_t, FILE *), (L'x', stream), 1);
    close_stream();
}

static void numbers_file(const char *name)
{
    stream = opened("fopen", fopen(name, "w"), name);
    OUT(fputs, int, (const char *, FILE *),
        ("1 2 3 4 5 6 7 8 "
         "9\nline\nline\nline\nline\nline\nline\nline\nabcdefghijklmnopqrstuvwxyz\n",
         stream),
        80);
    close_stream();
    stream = opened("fopen", fopen(name, "r"), name);
}

static void reading(void)
{
    char *line = NULL;
    size_t size = 0;
    int number;
    numbers_file("numbers");
    ON(fscanf, int, (FILE *, const char *, ...), (stream, "%d", &number), 1);
    ON(__isoc99_fscanf, int, (FILE *, const char *, ...), (stream, "%d", &number), 1);
    ON(__isoc23_fscanf, int, (FILE *, const char *, ...), (stream, "%d", &number), 1);
    with_list("vfscanf", &number);
    with_list("__isoc99_vfscanf", &number);
    with_list("__isoc23_vfscanf", &number);
    ON(fseek, int, (FILE *, long, int), (stream, 18, SEEK_SET), 0);
    IN(fgets, char *, (char *, int, FILE *), (buffer, 99, stream), 5);
    IN(fgets_unlocked, char *, (char *, int, FILE *), (buffer, 99, stream), 5);
    IN(__fgets_chk, char *, (char *, size_t, int, FILE *), (buffer, 4096, 99, stream), 5);
    IN(__fgets_unlocked_chk, char *, (char *, size_t, int, FILE *), (buffer, 4096, 99, stream), 5);
    IN(getline, ssize_t, (char **, size_t *, FILE *), (&line, &size, stream), 5);
    IN(getdelim, ssize_t, (char **, size_t *, int, FILE *), (&line, &size, '\n', stream), 5);
    IN(__getdelim, ssize_t, (char **, size_t *, int, FILE *), (&line, &size, '\n', stream), 5);
    free(line);
    IN(fread, size_t, (void *, size_t, size_t, FILE *), (buffer, 1, 2, stream), 2);
    IN(fread_unlocked, size_t, (void *, size_t, size_t, FILE *), (buffer, 1, 2, stream), 2);
    IN(__fread_chk, size_t, (void *, size_t, size_t, size_t, FILE *), (buffer, 4096, 1, 2, stream),
       2);
    IN(__fread_unlocked_chk, size_t, (void *, size_t, size_t, size_t, FILE *),
       (buffer, 4096, 1, 2, stream), 2);
    IN(getw, int, (FILE *), (stream), 4);
    ((int (*)(FILE *))find("fgetc"))(stream);
    IN(fgetc, int, (FILE *), (stream), 2);
    IN(fgetc_unlocked, int, (FILE *), (stream), 1);
    IN(getc, int, (FILE *), (stream), 1);
    IN(_IO_getc, int, (FILE *), (stream), 1);
    IN(getc_unlocked, int, (FILE *), (stream), 1);
    ON(ftell, long, (FILE *), (stream), 71);
    ON(ftello, off_t, (FILE *), (stream), 71);
    ON(ftello64, off_t, (FILE *), (stream), 71);
    fpos_t at;
    ON(fgetpos, int, (FILE *, fpos_t *), (stream, &at), 0);
    ON(fgetpos64, int, (FILE *, fpos_t *), (stream, &at), 0);
    ON(fsetpos, int, (FILE *, const fpos_t *), (stream, &at), 0);
    ON(fsetpos64, int, (FILE *, const fpos_t *), (stream, &at), 0);
    ON(fseeko, int, (FILE *, off_t, int), (stream, 0, SEEK_SET), 0);
    ON(fseeko64, int, (FILE *, off_t, int), (stream, 0, SEEK_SET), 0);
    ((void (*)(FILE *))find("rewind"))(stream);
    begin("stdio", fileno(stream));
    told("rewind", 0);
    IN(__underflow, int, (FILE *), (stream), 80);
    ON(fseek, int, (FILE *, long, int), (stream, 0, SEEK_END), 0);
    IN(__uflow, int, (FILE *), (stream), 0); /* the end */
    begin("stdio_read", fileno(stream));
    want.asked = 10;
    told("fread", (long)fread(buffer, 1, 10, stream));
    close_stream();
}

static void wide_reading(void)
{
    int number;
    numbers_file("wide_numbers");
    ON(fwscanf, int, (FILE *, const wchar_t *, ...), (stream, L"%d", &number), 1);
    ON(__isoc99_fwscanf, int, (FILE *, const wchar_t *, ...), (stream, L"%d", &number), 1);
    ON(__isoc23_fwscanf, int, (FILE *, const wchar_t *, ...), (stream, L"%d", &number), 1);
    with_list("vfwscanf", &number);
    with_list("__isoc99_vfwscanf", &number);
    with_list("__isoc23_vfwscanf", &number);
    wchar_t line[100];
    begin("stdio", fileno(stream));
    long at = ftell(stream); /* in the first line: a libc may lack some of the above */
    told("ftell", at);
    IN(fgetws, wchar_t *, (wchar_t *, int, FILE *), (line, 99, stream), 18 - at);
    IN(fgetws_unlocked, wchar_t *, (wchar_t *, int, FILE *), (line, 99, stream), 5);
    IN(__fgetws_chk, wchar_t *, (wchar_t *, size_t, int, FILE *), (line, 100, 99, stream), 5);
    IN(__fgetws_unlocked_chk, wchar_t *, (wchar_t *, size_t, int, FILE *), (line, 100, 99, stream),
       5);
    IN(fgetwc, wint_t, (FILE *), (stream), 1);
    IN(fgetwc_unlocked, wint_t, (FILE *), (stream), 1);
    IN(getwc, wint_t, (FILE *), (stream), 1);
    IN(getwc_unlocked, wint_t, (FILE *), (stream), 1);
    close_stream();
}

static void other_streams(void)
{
    opened("fopen", fopen("not there", "r"), "not%20there");
    stream = ((FILE * (*)(void)) find("tmpfile"))();
    opened("tmpfile", stream, NULL);
    close_stream();
    stream = ((FILE * (*)(void)) find("tmpfile64"))();
    opened("tmpfile64", stream, NULL);
    close_stream();
    int plain = file("plain", O_RDWR);
    stream = fdopen(plain, "r+");
    begin("stdio", plain);
    told("fdopen", 0);
    stream = freopen("plain2", "w", stream);
    begin("stdio", plain);
    want.gone = want.made = plain;
    told("freopen", 0);
    stream =
        ((FILE * (*)(const char *, const char *, FILE *)) find("freopen64"))("plain2", "r", stream);
    begin("stdio", plain);
    want.gone = want.made = plain;
    told("freopen64", 0);
    close_stream();
    FILE *pipe_ = popen("exit 0", "r"); /* a pipe is not a file */
    if (pipe_)
        pclose(pipe_);
    fd = file("formatted", O_RDWR);
    begin("write", fd);
    DO(int, dprintf, (int, const char *, ...), (fd, "%d", 12));
    begin("write", fd);
    DO(int, __dprintf_chk, (int, int, const char *, ...), (fd, 0, "%d", 123));
    begin("write", fd);
    told("vdprintf", descriptor_list("vdprintf", fd, 1234));
    begin("write", fd);
    told("__vdprintf_chk", descriptor_list("__vdprintf_chk", fd, 12345));
    closed(fd);
}

/* The standard streams, which are redirected to files here. */
static void standard_streams(void)
{
    int number;
    int old_out = dup(1), old_in = dup(0), made = file("out", O_RDWR);
    begin("other", made);
    want.made = 1;
    told("dup2", dup2(made, 1));
    stream = stdout;
    OUT(puts, int, (const char *), ("hello"), 6);
    OUT(printf, int, (const char *, ...), ("%d\n", 12), 3);
    OUT(__printf_chk, int, (int, const char *, ...), (0, "%d\n", 123), 4);
    OUT(putchar, int, (int), ('7'), 1);
    OUT(putchar_unlocked, int, (int), ('\n'), 1);
    ON(fflush, int, (FILE *), (stdout), 0);
    stream = stdin;
    numbers_file("in");
    int in = fileno(stream);
    begin("other", in);
    want.made = 0;
    told("dup2", dup2(in, 0));
    close_stream();
    stream = stdin;
    ON(scanf, int, (const char *, ...), ("%d", &number), 1);
    ON(__isoc99_scanf, int, (const char *, ...), ("%d", &number), 1);
    ON(__isoc23_scanf, int, (const char *, ...), ("%d", &number), 1);
    IN(getchar, int, (void), (), 1);
    IN(getchar_unlocked, int, (void), (), 1);
    IN(__gets_chk, char *, (char *, size_t), (buffer, 4096), number == 2 ? 13 : 11);
    begin("other", 1);
    want.gone = 1;
    want.fd = old_out;
    dup2(old_out, 1);
    told("dup2", 1);
    begin("other", old_in);
    want.gone = 0;
    dup2(old_in, 0);
    told("dup2", 0);
    closed(made);
}

void stdio_calls(void)
{
    writing();
    wide_writing();
    reading();
    wide_reading();
    other_streams();
    standard_streams();
}
