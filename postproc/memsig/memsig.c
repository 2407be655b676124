/* memsig.c - gptl memsig: the command line, and the run of a program. */
#include "config.h"

#include "postproc/arguments.h"
#include "postproc/memsig/memsig.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "postproc/child.h"
#include "postproc/commands.h"
#include "postproc/ioc/memory.h"
#include "postproc/signature/signature.h"

#include "report/file.h"

static const char usage[] =
    "usage: gptl memsig [-o FILE] [--machine MACHINE.json]... [--only-caches]\n"
    "                   [--sample[=BLOCKS]] [--interval SECONDS] [--paths N]\n"
    "                   [--] PROGRAM [ARGUMENT...]\n"
    "       gptl memsig show [--top N] SIGNATURE.json\n"
    "       gptl memsig merge [-o FILE] SIGNATURE.json...\n"
    "\n"
    "Runs PROGRAM, any one, under a tool of Valgrind, which counts for each block of\n"
    "code and each call path of regions what it asks of memory and of arithmetic, and\n"
    "how often caches would have what it wants. It takes some 30 times as long as the\n"
    "program alone. In an MPI job: gptl memsig -- mpiexec -n 4 ./program, which makes\n"
    "a signature of each rank.\n"
    "\n"
    "  -o FILE            the signature [signature.json]; {rank} in it is the rank\n"
    "  --machine FILE     whose caches are simulated (gptl maps makes it); several in\n"
    "                     one run, each with its own --machine [this machine's]\n"
    "  --interval SECONDS how often what is known is written, for the case of a\n"
    "                     kill [60]\n"
    "  --only-caches      leaves out strides and working sets, which gptl predict\n"
    "                     needs: faster\n"
    "  --paths N          of regions that are told apart, at most; what is beyond\n"
    "                     counts around it [20000]\n"
    "  --sample           simulates accesses in bursts only, a tenth of them: faster,\n"
    "                     with the error stated\n"
    "\n"
    "show prints the blocks, functions and regions with the most accesses; merge\n"
    "makes one signature of those of several ranks. The exit status of a run is\n"
    "PROGRAM's.\n";

/* ---- The run -------------------------------------------------------------------------------- */

static char folder[PATH_MAX];

/*
 * Make a directory whose name has a fixed length: the program's environment contains it, so the
 * length would shift the start of the stack.
 */
static bool make_folder(void)
{
    char here[PATH_MAX - 64];
    if (!getcwd(here, sizeof here)) {
        fprintf(stderr, WHO ": the working directory: %s\n", strerror(errno));
        return false;
    }
    snprintf(folder, sizeof folder, "%s/.gptl-memsig.%07ld", here, (long)getpid());
    if (mkdir(folder, 0700) == 0)
        return true;
    fprintf(stderr, WHO ": cannot make %s: %s; run it where a signature can be written\n", folder,
            strerror(errno));
    return false;
}

static void remove_folder(void)
{
    DIR *entries = opendir(folder);
    struct dirent *entry;
    while (entries && (entry = readdir(entries)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(entries), entry->d_name, 0);
    if (entries)
        closedir(entries);
    rmdir(folder);
}

static int run(const struct memsig_options *options)
{
    pid_t pid = 0;
    if (!make_folder())
        return GPTL_EXIT_USAGE;
    int status = memsig_launch(options, folder, &pid);
    if (status < 0) {
        remove_folder();
        return GPTL_EXIT_USAGE;
    }
    int n = memsig_collect(options, folder, WIFSIGNALED(status) ? pid : 0);
    if (n < 0) {
        fprintf(stderr, WHO ": what was measured is in %s\n", folder);
        return GPTL_EXIT_USAGE;
    }
    remove_folder();
    int result = gptl_child_end("gptl memsig", "program", status);
    if (n == 0 && (result < 126 || result > 127))
        fputs(WHO ": the program left no signature: it was killed before the first one was "
                  "written, or became another program that Valgrind does not know\n",
              stderr);
    return result;
}

static bool take_burst(struct memsig_options *options, const char *text)
{
    char *end;
    unsigned long long burst = text ? strtoull(text, &end, 10) : 10000000;
    if (text && (*text < '0' || *text > '9' || *end || burst < 200000 || burst > 1ULL << 40)) {
        fprintf(stderr, WHO ": --sample=%s: a burst has 200000 blocks at least\n", text);
        return false;
    }
    options->burst = burst;
    return true;
}

/* Parse the value of OPTION, from 1 to MOST. Returns 0 after a message. */
static unsigned long take_number(const char *option, const char *text, unsigned long most)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !*end && value >= 1 && value <= most)
        return value;
    fprintf(stderr, WHO ": %s %s: a number from 1 to %lu is needed\n", option, text, most);
    return 0;
}

/* Parse the arguments. Returns the exit status, or -1 to run the program. */
static int parse(struct memsig_options *options, int argc, char **argv)
{
    enum { OPT_INTERVAL = 256, OPT_MACHINE, OPT_ONLY_CACHES, OPT_PATHS, OPT_SAMPLE };
    static const struct option all[] = {{"help", no_argument, NULL, 'h'},
                                        {"output", required_argument, NULL, 'o'},
                                        {"interval", required_argument, NULL, OPT_INTERVAL},
                                        {"machine", required_argument, NULL, OPT_MACHINE},
                                        {"only-caches", no_argument, NULL, OPT_ONLY_CACHES},
                                        {"paths", required_argument, NULL, OPT_PATHS},
                                        {"sample", optional_argument, NULL, OPT_SAMPLE},
                                        {NULL, 0, NULL, 0}};
    optind = 0;
    for (int option; (option = gptl_next_option(WHO, argc, argv, "+:ho:", all)) != -1;)
        switch (option) {
        case 'h':
            return fputs(usage, stdout) < 0 ? GPTL_EXIT_USAGE : GPTL_EXIT_DONE;
        case 'o':
            options->path = optarg;
            break;
        case OPT_MACHINE:
            options->machines[options->nmachines++] = optarg;
            break;
        case OPT_ONLY_CACHES:
            options->only_caches = true;
            break;
        case OPT_INTERVAL:
            if (!(options->interval = take_number("--interval", optarg, 86400)))
                return GPTL_EXIT_USAGE;
            break;
        case OPT_PATHS:
            if (!(options->paths = take_number("--paths", optarg, 10000000)))
                return GPTL_EXIT_USAGE;
            break;
        case OPT_SAMPLE:
            if (!take_burst(options, optarg))
                return GPTL_EXIT_USAGE;
            break;
        default:
            return GPTL_EXIT_USAGE;
        }
    options->words = argv + optind;
    if (optind < argc && options->nmachines <= SIGNATURE_MACHINES && *options->path)
        return -1;
    if (options->nmachines > SIGNATURE_MACHINES)
        fprintf(stderr, WHO ": at most %d machines can be simulated in one run\n",
                SIGNATURE_MACHINES);
    else
        fprintf(stderr, WHO ": which program?\n%s", usage);
    return GPTL_EXIT_USAGE;
}

/* ---- Several signatures --------------------------------------------------------------------- */

int memsig_merge(int argc, char **argv)
{
    const char *path = "/dev/stdout";
    int option, n;
    opterr = 0;
    optind = 0;
    while ((option = getopt(argc, argv, "o:")) == 'o')
        path = optarg;
    n = argc - optind;
    if (option != -1 || n < 1) {
        fprintf(stderr, WHO " merge: which signatures?\n%s", usage);
        return GPTL_EXIT_USAGE;
    }
    struct signature **all = memory_zeros((size_t)n, sizeof *all), *merged = NULL;
    bool done = true;
    for (int i = 0; i < n && done; i++)
        done = (all[i] = signature_read(WHO, argv[optind + i])) != NULL;
    if (done)
        merged = signature_merge(WHO, (const struct signature *const *)all,
                                 (const char *const *)argv + optind, (uint32_t)n);
    struct gptl_file file;
    done = merged && gptl_file_open(&file, WHO, path, false) == 0;
    if (done) {
        signature_write(file.out, merged);
        done = gptl_file_close(&file, true) == 0;
    }
    signature_free(merged);
    for (int i = 0; i < n; i++)
        signature_free(all[i]);
    free(all);
    return done ? GPTL_EXIT_DONE : GPTL_EXIT_USAGE;
}

int gptl_memsig(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "show") == 0)
        return memsig_show(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "merge") == 0)
        return memsig_merge(argc - 1, argv + 1);
    struct memsig_options options = {.path = "signature.json", .paths = 20000, .interval = 60};
    options.machines = memory_zeros((size_t)argc, sizeof *options.machines);
    int result = parse(&options, argc, argv);
    if (result < 0)
        result = memsig_launch_ranks(&options, argc, argv) ? GPTL_EXIT_USAGE : run(&options);
    free(options.machines);
    return result;
}
