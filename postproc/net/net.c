/* net.c - the subcommand `gptl net`: replays traces of MPI programs on another machine. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "postproc/arguments.h"
#include "postproc/commands.h"
#include "postproc/ioc/memory.h"
#include "postproc/net/net.h"
#include "postproc/temporary.h"

enum { EAGER = 65536 }; /* typical eager limit of MPIs in bytes */

struct command {
    const char *folder, *machine, *prediction, *picture, *keep;
    struct network network;
    double latency, bandwidth; /* 0: not given */
    struct speed speed;
    long eager; /* -1: not given */
    struct sweep sweep;
    bool sweeps, json;
    int events; /* rank whose records are printed; -1: none */
    int ranks;  /* 0: unchanged */
    enum scaling scaling;
};

static void help(FILE *to)
{
    fprintf(to, "usage: gptl net [OPTION...] FOLDER\n"
                "\n"
                "Replays the traces in FOLDER, which a run with GPTL_OPTIONS=\"trace=ti\" has\n"
                "left, on another machine, and prints the predicted times beside the measured\n"
                "ones.\n"
                "\n"
                "  --machine FILE       the machine, as `gptl maps` has measured or edited it\n"
                "  --latency SECONDS    of a message, as 2us; with --machine, instead of its own\n"
                "  --bandwidth RATE     as 12.5GB/s\n"
                "  --platform FILE      a platform of SimGrid's (.xml, .so) instead\n"
                "  --cpu SPEED          how many times as fast the processor is\n"
                "  --prediction FILE    the same for each region, from `gptl predict --base`\n"
                "  --eager BYTES        messages above this wait for their receiver (default: the\n"
                "                       machine's, or 65536)\n"
                "  --what-if KEY=LIST   latency=0.1x,1x,10x bandwidth=... cpu=...: a replay for\n"
                "                       each\n"
                "  --output FILE        draw that, as .svg or .png\n"
                "  --ranks N            for more ranks than there are traces of, ...\n"
                "  --scaling KIND       weak: each rank has as much work; strong: all have\n"
                "                       together\n"
                "  --keep FOLDER        leave the traces that were made for this in FOLDER\n"
                "  --events RANK        print the records of this rank, and replay nothing\n"
                "  --json               JSON instead of text\n");
}

/* ---- Options ------------------------------------------------------------------------------- */

static int wrong(const char *option, const char *value, const char *must)
{
    fprintf(stderr, NET_WHO ": %s %s: %s\n", option, value, must);
    return -1;
}

static int read_number(const char *option, const char *text, long least, long most, long *to)
{
    char *end, must[80];
    errno = 0;
    *to = strtol(text, &end, 10);
    if (end != text && !*end && errno == 0 && *to >= least && *to <= most)
        return 0;
    snprintf(must, sizeof must, "it must be a number from %ld to %ld", least, most);
    return wrong(option, text, must);
}

static int read_option(struct command *c, int option, const char *value)
{
    long number = 0;
    char *end;
    switch (option) {
    case 'm':
        c->machine = value;
        return 0;
    case 'l':
        return net_seconds(value, &c->latency) ? 0
                                               : wrong("--latency", value, "it is a time, as 2us");
    case 'b':
        return net_rate(value, &c->bandwidth)
                   ? 0
                   : wrong("--bandwidth", value, "it is a rate, as 12.5GB/s");
    case 'p':
        c->network.platform = value;
        return 0;
    case 'c':
        c->speed.all = strtod(value, &end);
        return end != value && !*end && isfinite(c->speed.all) && c->speed.all > 0
                   ? 0
                   : wrong("--cpu", value, "it is a number above 0, as 1.5");
    case 'P':
        c->prediction = value;
        return 0;
    case 'e':
        return read_number("--eager", value, 0, LONG_MAX, &c->eager);
    case 'w':
        c->sweeps = true;
        return sweep_add(&c->sweep, value);
    case 'o':
        c->picture = value;
        return 0;
    case 'n':
        if (read_number("--ranks", value, 1, 1 << 20, &number))
            return -1;
        c->ranks = (int)number;
        return 0;
    case 's':
        c->scaling = strcmp(value, "weak") == 0     ? SCALING_WEAK
                     : strcmp(value, "strong") == 0 ? SCALING_STRONG
                                                    : SCALING_NONE;
        return c->scaling ? 0 : wrong("--scaling", value, "it is weak or strong");
    case 'k':
        c->keep = value;
        return 0;
    case 'v':
        if (read_number("--events", value, 0, INT_MAX, &number))
            return -1;
        c->events = (int)number;
        return 0;
    default:
        c->json = true;
        return 0;
    }
}

static const struct option options[] = {{"machine", required_argument, NULL, 'm'},
                                        {"latency", required_argument, NULL, 'l'},
                                        {"bandwidth", required_argument, NULL, 'b'},
                                        {"platform", required_argument, NULL, 'p'},
                                        {"cpu", required_argument, NULL, 'c'},
                                        {"prediction", required_argument, NULL, 'P'},
                                        {"eager", required_argument, NULL, 'e'},
                                        {"what-if", required_argument, NULL, 'w'},
                                        {"output", required_argument, NULL, 'o'},
                                        {"ranks", required_argument, NULL, 'n'},
                                        {"scaling", required_argument, NULL, 's'},
                                        {"keep", required_argument, NULL, 'k'},
                                        {"events", required_argument, NULL, 'v'},
                                        {"json", no_argument, NULL, 'j'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};

/* Return a message about incompatible options, or NULL. */
static const char *contradiction(const struct command *c)
{
    if (c->events >= 0)
        return NULL;
    if (c->network.platform && (c->machine || c->latency > 0 || c->bandwidth > 0))
        return "--platform has a network of its own: leave out --machine, --latency, --bandwidth";
    if (!c->network.platform && !c->machine && !(c->latency > 0 && c->bandwidth > 0))
        return "on which machine? --machine FILE, or --latency and --bandwidth, or --platform FILE";
    if (c->picture && !c->sweeps)
        return "--output draws what --what-if asks for: give both";
    if ((c->ranks > 0) != (c->scaling != SCALING_NONE))
        return "--ranks and --scaling go together";
    if (c->keep && !c->ranks)
        return "--keep is for the traces of --ranks";
    return NULL;
}

/* Parse the arguments. Returns 0, or the exit status plus 1. */
static int read_arguments(struct command *c, int argc, char **argv)
{
    int option;
    optind = 0;
    while ((option = gptl_next_option(NET_WHO, argc, argv, ":o:h", options)) != -1) {
        if (option == 'h') {
            help(stdout);
            return 1 + GPTL_EXIT_DONE;
        }
        if (option == '?' || read_option(c, option, optarg))
            return 1 + GPTL_EXIT_USAGE;
    }
    int folders = 0;
    for (; optind < argc; optind++)
        if (c->sweeps && strchr(argv[optind], '=') && access(argv[optind], F_OK) != 0) {
            if (sweep_add(&c->sweep, argv[optind])) /* another argument of --what-if */
                return 1 + GPTL_EXIT_USAGE;
        } else {
            c->folder = argv[optind];
            folders++;
        }
    const char *what = folders != 1 ? "give one folder with traces" : contradiction(c);
    if (what) {
        fprintf(stderr, NET_WHO ": %s; `gptl net --help` tells more\n", what);
        return 1 + GPTL_EXIT_USAGE;
    }
    return 0;
}

/* ---- Actions ------------------------------------------------------------------------------- */

static int find_machine(struct command *c)
{
    if (c->machine && network_of_machine(&c->network, c->machine))
        return -1;
    if (c->latency > 0 || c->bandwidth > 0) { /* a linear model replaces the measured points */
        free(c->network.points);
        c->network.points = NULL;
        c->network.npoints = 0;
    }
    if (c->latency > 0)
        c->network.latency_seconds = c->latency;
    if (c->bandwidth > 0)
        c->network.bytes_per_second = c->bandwidth;
    if (!c->network.name)
        c->network.name = memory_text("a machine");
    return 0;
}

static int replay(const struct command *c, const struct net_case *one, struct gptl_out *out)
{
    struct net_result result;
    if (c->sweeps)
        return sweep_run(&c->sweep, one, out, c->json, c->picture) ? GPTL_EXIT_USAGE
                                                                   : GPTL_EXIT_DONE;
    int status = GPTL_EXIT_USAGE;
    if (net_replay(&result, one) == 0) {
        status = result.nstuck ? GPTL_EXIT_FINDING : GPTL_EXIT_DONE;
        if (c->json)
            net_print_json(out, one, &result);
        else if (!result.nstuck)
            net_print(out, one, &result);
        if (result.nstuck)
            net_tell_stuck(&result);
    }
    net_result_free(&result);
    return status;
}

static int with_traces(struct command *c, struct trace **traces, int ranks, const char *folder,
                       struct gptl_out *out)
{
    struct net_case one = {.folder = folder,
                           .traces = traces,
                           .ranks = ranks,
                           .network = &c->network,
                           .speed = &c->speed,
                           .eager = c->eager >= 0            ? (uint64_t)c->eager
                                    : c->network.knows_eager ? c->network.eager
                                                             : EAGER};
    if (c->prediction && speed_of_prediction(&c->speed, c->prediction, traces, ranks))
        return GPTL_EXIT_USAGE;
    return replay(c, &one, out);
}

static void remove_traces(const char *folder, int ranks)
{
    char path[PATH_MAX + 64];
    for (int i = 0; i < ranks; i++) {
        snprintf(path, sizeof path, "%s/" GPTL_TI_PREFIX "%d" GPTL_TI_SUFFIX, folder, i);
        unlink(path);
    }
    rmdir(folder);
}

/* Make traces of more ranks, and replay them like recorded ones. */
static int with_more_ranks(struct command *c, struct trace **traces, int ranks,
                           struct gptl_out *out)
{
    char folder[TEMPORARY_PATH], why[512], pattern[128];
    struct trace **more;
    int status = GPTL_EXIT_USAGE;
    if (!c->keep && !temporary_folder(NET_WHO, "gptl-net", folder))
        return status;
    if (c->keep) {
        snprintf(folder, sizeof folder, "%s", c->keep);
        if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
            fprintf(stderr, NET_WHO ": cannot make the folder %s: %s\n", folder, strerror(errno));
            return status;
        }
    }
    if (net_extrapolate(traces, ranks, c->ranks, c->scaling, folder, pattern, sizeof pattern) ==
        0) {
        int n = trace_open_all(folder, &more, why, sizeof why);
        if (n == 0)
            fprintf(stderr, NET_WHO ": %s\n", why);
        else if (!c->json && !c->sweeps)
            gptl_out_format(
                out, "From %d ranks (%s), %s scaling; \"measured\" is what was put together.\n",
                ranks, pattern, c->scaling == SCALING_WEAK ? "weak" : "strong");
        if (n > 0)
            status = with_traces(c, more, n, folder, out);
        trace_close_all(more, n);
    } else {
        status = GPTL_EXIT_FINDING;
    }
    if (!c->keep)
        remove_traces(folder, c->ranks);
    return status;
}

static int run(struct command *c, struct gptl_out *out)
{
    struct trace **traces;
    char why[PATH_MAX + 512];
    if (c->events < 0 && find_machine(c))
        return GPTL_EXIT_USAGE;
    int ranks = trace_open_all(c->folder, &traces, why, sizeof why), status = GPTL_EXIT_DONE;
    if (ranks == 0) {
        fprintf(stderr, NET_WHO ": %s\n", why);
        return GPTL_EXIT_USAGE;
    }
    if (c->events >= ranks) {
        fprintf(stderr, NET_WHO ": there are ranks 0 to %d, not %d\n", ranks - 1, c->events);
        status = GPTL_EXIT_USAGE;
    } else if (c->events >= 0) {
        net_print_events(out, traces[c->events]);
    } else if (c->ranks) {
        status = with_more_ranks(c, traces, ranks, out);
    } else {
        status = with_traces(c, traces, ranks, c->folder, out);
    }
    trace_close_all(traces, ranks);
    return status;
}

int gptl_net(int argc, char **argv)
{
    struct command c = {.eager = -1, .events = -1, .speed = {.all = 1}};
    int status = read_arguments(&c, argc, argv);
    if (status == 0) {
        struct gptl_out *out = gptl_out_new(STDOUT_FILENO);
        if (!out)
            memory_end();
        status = run(&c, out) + 1;
        int error = gptl_out_flush(out);
        if (error) {
            fprintf(stderr, NET_WHO ": cannot write: %s\n", strerror(error));
            status = 1 + GPTL_EXIT_USAGE;
        }
        free(out);
    }
    sweep_free(&c.sweep);
    network_free(&c.network);
    free(c.speed.factors);
    return status - 1;
}
