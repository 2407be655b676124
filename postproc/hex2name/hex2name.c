/*
 * hex2name.c - gptl hex2name: replaces addresses of functions in a report by their names.
 *
 * A library that cannot or must not look up names in the process reports addresses: the module of a
 * function and an offset. Text is copied except for the names and column widths; JSON is parsed and
 * rewritten.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "postproc/commands.h"
#include "postproc/hex2name/hex2name.h"
#include "postproc/read/profile_read.h"
#include "report/file.h"
#include "report/json.h"
#include "report/resolve.h"

static const char usage[] =
    "usage: gptl hex2name [-demangle] [--debug-dir DIR]... [-o FILE] PROGRAM REPORT\n"
    "\n"
    "Prints REPORT, text or JSON, with the names of functions where it has addresses.\n"
    "PROGRAM is the program that wrote it; shared libraries are found by the paths in\n"
    "the report. REPORT - is standard input.\n"
    "\n"
    "  -demangle, --demangle  names of C++ and Fortran as in the source\n"
    "  --debug-dir DIR        debug information is looked for in DIR before\n"
    "                         /usr/lib/debug\n"
    "  -o FILE                write to FILE; it may be REPORT itself\n";

struct command {
    bool demangle;
    const char *program, *report, *output;
    struct gptl_symbols *symbols;
    char *label;          /* label of PROGRAM in a report */
    const char *build_id; /* build id of PROGRAM, or NULL if unreadable */
    bool of_program;      /* a module was identified as PROGRAM */
};

/* ---- Match modules with files ---------------------------------------------------------------- */

/*
 * Return the label of PATH by the library's rule: the last component, restricted to plain
 * characters and a maximum length.
 */
static char *label_of(const char *path)
{
    enum { LONGEST_LABEL = 116 };
    const char *slash = strrchr(path, '/');
    char *label = strndup(slash ? slash + 1 : path, LONGEST_LABEL);
    for (char *at = label; at && *at; at++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-", *at))
            *at = '_';
    return label;
}

static bool same_id(const char *a, const char *b)
{
    return a && b && *a && strcasecmp(a, b) == 0;
}

/*
 * Return the file of a module. PROGRAM replaces the module with the same build id at any path;
 * otherwise the module with the same label, unless that module's file still matches its build id.
 */
static struct gptl_symbol_module file_of(struct command *command, const char *label,
                                         const char *path, const char *build_id)
{
    struct gptl_symbol_module own = {path, build_id};
    if (same_id(build_id, command->build_id)) {
        command->of_program = true;
        return (struct gptl_symbol_module){command->program, NULL};
    }
    if (strcmp(label, command->label) != 0)
        return own;
    command->of_program = true;
    if (same_id(build_id, gptl_symbols_build_id(command->symbols, path)))
        return own;
    return (struct gptl_symbol_module){command->program, build_id};
}

static char *find_name(void *data, const struct hex_module *module, uint64_t offset,
                       enum gptl_symbol_state *state)
{
    struct command *command = data;
    struct gptl_symbol_module file = {command->program, NULL};
    struct gptl_symbol found;
    if (module)
        file = file_of(command, module->label, module->path, module->build_id);
    char *name = gptl_report_function_name(command->symbols, &file, offset, command->demangle,
                                           &found, state);
    if (name && !module && found.start != offset) {
        free(name);
        name = NULL;
        *state = GPTL_SYMBOL_NO_FUNCTION;
    }
    return name;
}

static void say_unnamed(struct command *command, const struct hex_names *names)
{
    size_t nmodules;
    hex_names_modules(names, &nmodules);
    hex_names_say_unnamed(names, command->program);
    for (size_t i = 0; i < nmodules && !command->of_program; i++) {
        const struct hex_module *module = &hex_names_modules(names, &nmodules)[i];
        file_of(command, module->label, module->path, module->build_id);
    }
    if (nmodules > 0 && !command->of_program)
        fprintf(stderr,
                "gptl hex2name: %s is no module of the report, by its build id or by its name\n",
                command->program);
}

/* ---- Text and JSON --------------------------------------------------------------------------- */

static int no_memory(void)
{
    fprintf(stderr, "gptl hex2name: there is no memory for it\n");
    return -1;
}

static int open_output(const struct command *command, struct gptl_file *file)
{
    return gptl_file_open(file, "gptl hex2name", command->output ? command->output : "/dev/stdout",
                          false);
}

static int turn_text(struct command *command, FILE *in, struct hex_names *names)
{
    struct gptl_file file;
    if (open_output(command, &file))
        return -1;
    int result = hex_text(in, file.out, names);
    if (result)
        no_memory();
    return gptl_file_close(&file, result == 0) ? -1 : result;
}

/*
 * Resolve names with the file chosen for each module. The report states the modules' paths in the
 * run, so the original paths are restored afterwards.
 */
static int resolve(struct command *command, struct gptl_profile *profile, struct hex_names *names)
{
    uint32_t n = profile->nmodules;
    if (n == 0)
        return 0;
    struct gptl_module *modules = malloc(n * sizeof *modules);
    if (!modules)
        return -1;
    memcpy(modules, profile->modules, n * sizeof *modules);
    for (uint32_t i = 0; i < n; i++) {
        const struct gptl_module *module = &modules[i];
        struct gptl_symbol_module file =
            file_of(command, module->label, module->path, module->build_id);
        profile->modules[i].path = (char *)file.path;
        profile->modules[i].build_id = (char *)(file.build_id ? file.build_id : "");
        if (hex_names_add(names, module->label, module->path, module->build_id, 0)) {
            n = 0;
            break;
        }
    }
    if (n > 0)
        gptl_report_resolve_by(profile, command->symbols, command->demangle);
    memcpy(profile->modules, modules, profile->nmodules * sizeof *modules);
    free(modules);
    return n == profile->nmodules ? 0 : -1;
}

/* Look up the unresolved functions again, so that they are reported as unnamed. */
static void ask_again(const struct gptl_profile *profile, struct hex_names *names)
{
    for (uint32_t i = 0; i < profile->nfunctions; i++) {
        const struct gptl_function *function = &profile->functions[i];
        if (function->name || function->module >= profile->nmodules)
            continue;
        const char *label = profile->modules[function->module].label;
        struct hex_address address = {label, strlen(label), function->offset, false};
        hex_names_find(names, &address, 0);
    }
}

static int turn_json(struct command *command, const char *path, struct hex_names *names)
{
    struct gptl_file file;
    struct gptl_profile *profile = profile_read("gptl hex2name", path, 0);
    if (!profile)
        return -1;
    int result = resolve(command, profile, names);
    if (result) {
        no_memory();
    } else {
        ask_again(profile, names);
        result = open_output(command, &file);
        if (result == 0) {
            result = gptl_json_write(file.out, profile);
            result = gptl_file_close(&file, result == 0) ? -1 : result;
        }
    }
    profile_free(profile);
    return result;
}

/* ---- Input ----------------------------------------------------------------------------------- */

static int complain(const char *path, const char *why)
{
    fprintf(stderr, "gptl hex2name: %s: %s\n", path, why);
    return -1;
}

/* Return a copy of FROM, which may be a pipe: the report is read several times. */
static FILE *copied(FILE *from)
{
    char buffer[65536];
    FILE *to = tmpfile();
    size_t n;
    while (to && (n = fread(buffer, 1, sizeof buffer, from)) > 0)
        if (fwrite(buffer, 1, n, to) != n)
            break;
    if (to && (ferror(from) || ferror(to) || fflush(to))) {
        fclose(to);
        to = NULL;
    }
    fclose(from);
    return to;
}

static FILE *open_report(const char *path)
{
    struct stat status;
    FILE *in = strcmp(path, "-") == 0 ? fdopen(dup(STDIN_FILENO), "r") : fopen(path, "re");
    if (in && fstat(fileno(in), &status) == 0 && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        fclose(in);
        in = NULL;
    } else if (in && (!S_ISREG(status.st_mode) || strcmp(path, "-") == 0)) {
        in = copied(in);
    }
    if (!in)
        complain(path, strerror(errno));
    return in;
}

/* Return the first character that is not a space, or fail if the file is clearly no report. */
static int first_byte(FILE *in, const char *path)
{
    char start[4] = "";
    rewind(in);
    size_t n = fread(start, 1, sizeof start, in);
    if (n == 0)
        return complain(path, "it is empty, and no report");
    if (n == 4 && memcmp(start, "\177ELF", 4) == 0)
        return complain(path, "it is a program, and no report; the program comes first");
    rewind(in);
    int c = getc(in);
    while (c == ' ' || c == '\n' || c == '\r' || c == '\t')
        c = getc(in);
    if (c == '<')
        return complain(path, "names are put into reports in text and JSON only, not XML");
    return c == EOF ? '\n' : c;
}

static int check_program(const char *path)
{
    char magic[4] = "";
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &status))
        return complain(path, strerror(errno));
    bool elf =
        S_ISREG(status.st_mode) && read(fd, magic, 4) == 4 && memcmp(magic, "\177ELF", 4) == 0;
    close(fd);
    return elf ? 0 : complain(path, "it is no program; give the one that wrote the report");
}

static int turn(struct command *command, struct hex_names *names)
{
    FILE *in = open_report(command->report);
    if (!in)
        return -1;
    int c = first_byte(in, command->report), result = -1;
    if (c == '{') {
        char path[64];
        snprintf(path, sizeof path, "/dev/fd/%d", fileno(in));
        rewind(in);
        result = turn_json(command, path, names);
    } else if (c >= 0) {
        result = turn_text(command, in, names);
    }
    fclose(in);
    if (result == 0)
        say_unnamed(command, names);
    return result;
}

/* ---- The command ----------------------------------------------------------------------------- */

static int wrong_usage(const char *what, const char *why)
{
    fprintf(stderr, "gptl hex2name: %s%s\n%s", what, why, usage);
    return -1;
}

/*
 * Parse the option at ARGV[I] and its value. Returns the number of arguments consumed, or -1 after
 * a message.
 */
static int take_option(struct command *command, char **argv, int i)
{
    const char *option = argv[i], *value = argv[i + 1];
    if (strcmp(option, "-demangle") == 0 || strcmp(option, "--demangle") == 0) {
        command->demangle = true;
        return 1;
    }
    bool is_dir = strcmp(option, "--debug-dir") == 0;
    if ((!is_dir && strcmp(option, "-o") != 0) || !value)
        return wrong_usage(option, ": unknown option, or its value is missing");
    if (!is_dir)
        command->output = value;
    else if (gptl_symbols_debug_dir(command->symbols, value))
        return no_memory();
    return 2;
}

/*
 * Parse the arguments; options may appear anywhere before "--". Returns 0, 1 if the work is done
 * (--help), or -1 after a message.
 */
static int parse(struct command *command, int argc, char **argv)
{
    const char **files[] = {&command->program, &command->report};
    int n = 0;
    bool options = true;
    for (int i = 1, words; i < argc; i += words) {
        words = 1;
        if (options && strcmp(argv[i], "--") == 0) {
            options = false;
        } else if (options && (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)) {
            fputs(usage, stdout);
            return 1;
        } else if (options && argv[i][0] == '-' && argv[i][1]) {
            words = take_option(command, argv, i);
            if (words < 0)
                return -1;
        } else if (n < 2) {
            *files[n++] = argv[i];
        } else {
            n = 3;
            break;
        }
    }
    return n == 2 ? 0 : wrong_usage("", "a program and one report are needed");
}

int gptl_hex2name(int argc, char **argv)
{
    struct command command = {.symbols = gptl_symbols_open()};
    struct hex_names *names = hex_names_new(find_name, &command);
    int result = command.symbols && names ? parse(&command, argc, argv) : no_memory();
    if (result == 0)
        result = check_program(command.program);
    if (result == 0) {
        command.label = label_of(command.program);
        command.build_id = gptl_symbols_build_id(command.symbols, command.program);
        result = command.label ? turn(&command, names) : no_memory();
    }
    hex_names_free(names);
    gptl_symbols_close(command.symbols);
    free(command.label);
    return result < 0 ? GPTL_EXIT_USAGE : GPTL_EXIT_DONE;
}
