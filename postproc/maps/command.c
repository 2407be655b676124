/* command.c - gptl maps: measures this machine, or edits a profile into a hypothetical machine. */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "postproc/arguments.h"
#include "postproc/commands.h"
#include "postproc/ioc/memory.h"
#include "postproc/machine/machine.h"
#include "postproc/maps/arithmetic.h"
#include "postproc/maps/caches.h"
#include "postproc/maps/curves.h"
#include "postproc/maps/deadline.h"
#include "postproc/maps/edit.h"
#include "postproc/maps/host.h"
#include "postproc/maps/network.h"
#include "postproc/maps/show.h"

enum mode { MODE_MEASURE, MODE_NETWORK, MODE_EDIT, MODE_SHOW, MODE_PING };

struct command {
    enum mode mode;
    enum extent extent;
    const char *input;  /* input profile; unused in MODE_MEASURE */
    const char *output; /* NULL: not given */
    const char *name;
    const char *picture;
    enum picture picture_kind;
    char **arguments; /* edits, or a launcher */
    int narguments;
    bool is_rank; /* process of a job */
    int rank;     /* the first and last measure the network; the first measures the rest */
};

static void help(FILE *to)
{
    fprintf(to, "usage: gptl maps [OPTION...] [-- mpiexec -n 2]\n"
                "       mpiexec -n 2 gptl maps [OPTION...]\n"
                "       gptl maps --network FILE [-o FILE] -- mpiexec -n 2\n"
                "       gptl maps --edit FILE [-o FILE] [--name NAME] EDIT...\n"
                "       gptl maps --show FILE [--plot FILE]\n"
                "\n"
                "Measures what accesses to memory, arithmetic and messages this machine sustains.\n"
                "\n"
                "  -o, --output FILE  the profile goes there (machine.json)\n"
                "      --quick        a few curves, with few points, in a second or two\n"
                "      --full         all kinds of access, all numbers of cores; takes many\n"
                "                     minutes\n"
                "      --name NAME    what the machine is called\n"
                "      --plot FILE    also draws it, as .svg or .png\n"
                "      --network FILE measures the network alone, and adds it to the profile FILE\n"
                "      --edit FILE    makes another machine of the one in FILE; each EDIT is as\n"
                "                     L2.rate*=2  L3.bytes=64M  memory.latency*=0.5\n"
                "                     arithmetic.rate*=2  network.latency=1us\n"
                "                     network.bandwidth=25GB/s\n"
                "      --show FILE    prints the profile FILE\n"
                "  -h, --help         prints this\n");
}

/* ---- Options ------------------------------------------------------------------------------- */

enum option_number {
    OPT_QUICK = 256,
    OPT_FULL,
    OPT_NAME,
    OPT_PLOT,
    OPT_NETWORK,
    OPT_EDIT,
    OPT_SHOW,
    OPT_PING,
    OPT_HELP
};

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static int take_mode(struct command *command, enum mode mode, const char *input)
{
    if (command->mode != MODE_MEASURE) {
        fprintf(stderr, "gptl maps: choose one of --network, --edit and --show\n");
        return -1;
    }
    command->mode = mode;
    command->input = input;
    return 0;
}

static int take_picture(struct command *command, const char *path)
{
    command->picture = path;
    command->picture_kind = ends_with(path, ".svg")   ? PICTURE_SVG
                            : ends_with(path, ".png") ? PICTURE_PNG
                                                      : PICTURE_NONE;
    if (command->picture_kind)
        return 0;
    fprintf(stderr, "gptl maps: --plot %s: a picture's name ends in .svg or .png\n", path);
    return -1;
}

/* Parse an option. Returns 0, 1 if the work is done, or -1 after a message. */
static int take_option(struct command *command, int option)
{
    switch (option) {
    case 'o':
        command->output = optarg;
        return 0;
    case OPT_QUICK:
    case OPT_FULL:
        command->extent = option == OPT_QUICK ? EXTENT_QUICK : EXTENT_FULL;
        return 0;
    case OPT_NAME:
        command->name = optarg;
        return 0;
    case OPT_PLOT:
        return take_picture(command, optarg);
    case OPT_NETWORK:
        return take_mode(command, MODE_NETWORK, optarg);
    case OPT_EDIT:
        return take_mode(command, MODE_EDIT, optarg);
    case OPT_SHOW:
        return take_mode(command, MODE_SHOW, optarg);
    case OPT_PING:
        command->mode = MODE_PING;
        return 0;
    case 'h':
        help(stdout);
        return 1;
    default:
        return -1;
    }
}

static int wrong(const char *what)
{
    fprintf(stderr, "gptl maps: %s; see `gptl maps --help`\n", what);
    return -1;
}

/* Check that the operands fit the mode. */
static int check(const struct command *command, bool dashes)
{
    if (command->mode == MODE_EDIT && command->narguments == 0)
        return wrong("there is no edit to make");
    if (command->mode == MODE_NETWORK && !command->is_rank && (!dashes || command->narguments == 0))
        return wrong("the network is measured by two ranks: give `-- mpiexec -n 2`");
    if (command->mode == MODE_PING && command->narguments != 1)
        return wrong("--ping is what `gptl maps -- mpiexec -n 2` starts");
    if (command->mode == MODE_SHOW && (command->narguments > 0 || command->output || command->name))
        return wrong("--show prints one profile, and writes none");
    if (command->mode == MODE_MEASURE && command->narguments > 0 && !dashes)
        return wrong("what starts two ranks stands behind --, as in `gptl maps -- mpiexec -n 2`");
    if (command->mode == MODE_MEASURE && dashes && command->narguments == 0)
        return wrong("behind -- stands what starts two ranks, as mpiexec -n 2");
    return 0;
}

static int parse(struct command *command, int argc, char **argv)
{
    static const struct option options[] = {{"help", no_argument, NULL, 'h'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"quick", no_argument, NULL, OPT_QUICK},
                                            {"full", no_argument, NULL, OPT_FULL},
                                            {"name", required_argument, NULL, OPT_NAME},
                                            {"plot", required_argument, NULL, OPT_PLOT},
                                            {"network", required_argument, NULL, OPT_NETWORK},
                                            {"edit", required_argument, NULL, OPT_EDIT},
                                            {"show", required_argument, NULL, OPT_SHOW},
                                            {"ping", no_argument, NULL, OPT_PING},
                                            {NULL, 0, NULL, 0}};
    int option, status = 0;
    optind = 0;
    while (status == 0 &&
           (option = gptl_next_option("gptl maps", argc, argv, ":ho:", options)) != -1)
        status = option == '?' ? -1 : take_option(command, option);
    if (status != 0)
        return status;
    command->arguments = argv + optind;
    command->narguments = argc - optind;
    command->is_rank = (command->mode == MODE_MEASURE || command->mode == MODE_NETWORK) &&
                       command->narguments == 0 && network_is_rank(&command->rank);
    return check(command, optind > 1 && strcmp(argv[optind - 1], "--") == 0);
}

/* ---- Actions ------------------------------------------------------------------------------- */

static int write_machine(const struct machine *machine, const char *path)
{
    struct gptl_file file;
    if (gptl_file_open(&file, "gptl maps", path, false))
        return -1;
    machine_write(machine, file.out);
    return gptl_file_close(&file, true);
}

static int print_machine(const struct machine *machine)
{
    struct gptl_file file;
    if (gptl_file_open(&file, "gptl maps", "/dev/stdout", false))
        return -1;
    show_text(machine, file.out);
    return gptl_file_close(&file, true);
}

/* Fail before minutes of measurement if the output is not writable. */
static int can_write(const char *path)
{
    struct gptl_file file;
    if (gptl_file_open(&file, "gptl maps", path, false))
        return -1;
    gptl_file_close(&file, false);
    return 0;
}

/* Seconds of a complete measurement, and the part reserved for messages. */
enum { USUAL_SECONDS = 115, WITH_NETWORK_SECONDS = 145, NETWORK_SECONDS = 85, QUICK_SECONDS = 20 };

static double seconds_of(enum extent extent, bool with_network)
{
    if (extent == EXTENT_FULL)
        return 1e9;
    if (extent == EXTENT_QUICK)
        return QUICK_SECONDS + (with_network ? NETWORK_SECONDS : 0);
    return with_network ? WITH_NETWORK_SECONDS : USUAL_SECONDS;
}

/*
 * Announce a phase, so that a silent measurement is not mistaken for a hang. A terminal also shows
 * progress.
 */
static void announce(const char *phase)
{
    if (!isatty(2))
        fprintf(stderr, "gptl maps: measuring %s\n", phase);
}

static void announce_cost(const struct machine *machine, const struct host *host,
                          enum extent extent)
{
    double megabytes = (double)curves_memory(machine, host, extent) / (1 << 20);
    if (extent == EXTENT_FULL)
        fprintf(stderr, "gptl maps: this takes many minutes, and %.0f MiB of memory\n", megabytes);
    else
        fprintf(stderr, "gptl maps: this takes at most %.0f s more, and %.0f MiB of memory\n",
                ceil(deadline_left()), megabytes);
}

/*
 * Measure everything. Arithmetic takes little time, so it is measured twice, at the start and at
 * the end.
 */
static int measure_all(struct machine *machine, const struct host *host, enum extent extent)
{
    if (deadline_signal())
        return 0;
    announce("arithmetic");
    double began = deadline_passed();
    int status = arithmetic_measure(machine, host);
    double arithmetic = deadline_passed() - began;
    announce("memory");
    status = status || curves_measure(machine, host, extent, deadline_left() - 2 * arithmetic);
    if (status != 0 || deadline_signal())
        return status;
    announce("arithmetic again");
    status = arithmetic_measure(machine, host);
    if (status == 0)
        caches_check(machine, host);
    return status;
}

static int measure(const struct command *command, struct machine *machine)
{
    struct host host;
#ifndef __OPTIMIZE__
    fprintf(stderr, "gptl maps: this gptl was compiled without optimization: small working sets "
                    "seem slower than they are\n");
#endif
    host_look(&host, machine);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (command->is_rank && (long)host.ncores < online)
        fprintf(
            stderr,
            "gptl maps: the launcher has bound this rank to %u of %ld cores, which are all that "
            "is measured; mpiexec --bind-to none gives it all\n",
            host.ncores, online);
    if (host.nothers > 0)
        fprintf(stderr,
                "gptl maps: %u cores are of another kind than the first one, and are left out; "
                "choose others by taskset\n",
                host.nothers);
    announce_cost(machine, &host, command->extent);
    int status = measure_all(machine, &host, command->extent);
    machine->measurement.seconds = deadline_passed();
    machine->measurement.interrupted = deadline_signal() != 0;
    host_free(&host);
    return status;
}

static int edit(const struct command *command, struct machine *machine)
{
    for (int i = 0; i < command->narguments; i++)
        if (edit_machine(machine, command->arguments[i]))
            return -1;
    free(machine->made_from);
    machine->made_from = machine->name;
    if (asprintf(&machine->name, "%s, edited", machine->made_from) < 0)
        memory_end();
    return 0;
}

static void rename_machine(struct machine *machine, const char *name)
{
    if (!name)
        return;
    free(machine->name);
    machine->name = memory_text(name);
}

/* Make the requested profile from its source, with the steps that fail more often at the start. */
static int make_machine(const struct command *command, struct machine *machine)
{
    bool with_network =
        command->mode == MODE_NETWORK ||
        (command->mode == MODE_MEASURE && (command->narguments > 0 || command->is_rank));
    if (command->mode != MODE_MEASURE && machine_read(machine, "gptl maps", command->input))
        return -1;
    if (command->mode == MODE_EDIT && edit(command, machine))
        return -1;
    if (command->mode == MODE_MEASURE || with_network)
        deadline_begin(seconds_of(command->extent, with_network));
    if (with_network) {
        announce("messages");
        if (network_measure(machine, command->narguments > 0 ? command->arguments : NULL,
                            command->extent == EXTENT_QUICK, NETWORK_SECONDS))
            return -1;
    }
    if (command->mode == MODE_MEASURE && measure(command, machine))
        return -1;
    rename_machine(machine, command->name);
    return 0;
}

/* Return the path of the profile to write, or NULL. */
static const char *output_of(const struct command *command)
{
    static const char *const usual[] = {
        [MODE_MEASURE] = "machine.json", [MODE_EDIT] = "/dev/stdout"};
    if (command->mode == MODE_SHOW || command->output)
        return command->output;
    return command->mode == MODE_NETWORK ? command->input : usual[command->mode];
}

static int run(const struct command *command, struct machine *machine)
{
    const char *output = output_of(command);
    /* If the profile is written to stdout, print nothing else there. */
    bool prints = !output || strcmp(output, "/dev/stdout") != 0;
    if ((output && can_write(output)) || make_machine(command, machine))
        return -1;
    if (output && write_machine(machine, output))
        return -1;
    if (deadline_signal())
        fprintf(stderr, "gptl maps: interrupted; %s has the %u points measured so far\n",
                output ? output : "the profile", machine->measurement.points);
    if (prints && (command->mode == MODE_MEASURE || command->mode == MODE_SHOW) &&
        print_machine(machine))
        return -1;
    return command->picture ? show_picture(machine, command->picture, command->picture_kind) : 0;
}

int gptl_maps(int argc, char **argv)
{
    struct command command = {.extent = EXTENT_USUAL};
    struct machine machine = {0};
    int status = parse(&command, argc, argv);
    if (status != 0)
        return status > 0 ? GPTL_EXIT_DONE : GPTL_EXIT_USAGE;
    if (command.is_rank && command.rank != 0)
        status = network_join(command.extent == EXTENT_QUICK);
    else if (command.mode == MODE_PING) /* the element before the operands is the option itself */
        status = network_ping(command.arguments - 1);
    else
        status = run(&command, &machine);
    machine_free(&machine);
    deadline_raise();
    return status == 0 ? GPTL_EXIT_DONE : GPTL_EXIT_USAGE;
}
