/* predict.c - gptl predict: the command line. */
#include "config.h"

#include "postproc/arguments.h"
#include "postproc/predict/prediction.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/commands.h"

#include "report/file.h"

#define WHO "gptl predict"

static const char usage[] =
    "usage: gptl predict [OPTION]... SIGNATURE MACHINE\n"
    "\n"
    "Says what a program costs on a machine: SIGNATURE is what `gptl memsig` wrote of\n"
    "a run of the program, MACHINE is a profile by `gptl maps`, whose caches were\n"
    "simulated in that run.\n"
    "\n"
    "  --base MACHINE    also on this machine, and how many times as fast it is on\n"
    "                    MACHINE\n"
    "  --measured FILE   what a run on MACHINE took (timing.0.json, or a folder of\n"
    "                    them), and the error of the prediction\n"
    "  --pages PAGES     small|huge: the pages that the program's memory has (small)\n"
    "  --cores N         so many cores are at work at the same time (1)\n"
    "  --by-working-set  where MACHINE was not simulated, guess which cache serves an\n"
    "                    access\n"
    "  --top N           the N functions and blocks of the longest time (20)\n"
    "  --json            for programs: doc/prediction.schema.json\n"
    "  -o, --output FILE write to FILE, which appears when it is complete\n";

struct command {
    const char *base, *path;
    char **measured;
    int nmeasured;
    enum machine_pages pages;
    long cores, top;
    bool by_working_set, json, help;
};

enum { OPT_BASE = 1000, OPT_MEASURED, OPT_PAGES, OPT_CORES, OPT_WORKING_SET, OPT_TOP, OPT_JSON };

static int no_memory(void)
{
    fputs(WHO ": there is not enough memory for the prediction\n", stderr);
    return -1;
}

/* ---- The command line ---------------------------------------------------------------------- */

static int take_number(const char *option, long *number)
{
    char *end;
    errno = 0;
    long value = strtol(optarg, &end, 10);
    if (end == optarg || *end || errno || value < 1 || value > INT_MAX) {
        fprintf(stderr, WHO ": --%s %s: a number from 1 on is needed\n", option, optarg);
        return -1;
    }
    *number = value;
    return 0;
}

static int take_pages(enum machine_pages *pages)
{
    for (int i = 0; i < MACHINE_NPAGES; i++)
        if (strcmp(optarg, machine_pages_names[i]) == 0) {
            *pages = (enum machine_pages)i;
            return 0;
        }
    fprintf(stderr, WHO ": --pages %s: there are small and huge\n", optarg);
    return -1;
}

static int take_option(struct command *command, int option)
{
    switch (option) {
    case 'h':
        command->help = true;
        return 0;
    case 'o':
        command->path = optarg;
        return 0;
    case OPT_BASE:
        command->base = optarg;
        return 0;
    case OPT_MEASURED:
        command->measured[command->nmeasured++] = optarg;
        return 0;
    case OPT_PAGES:
        return take_pages(&command->pages);
    case OPT_CORES:
        return take_number("cores", &command->cores);
    case OPT_TOP:
        return take_number("top", &command->top);
    case OPT_WORKING_SET:
        command->by_working_set = true;
        return 0;
    default:
        command->json = true;
        return 0;
    }
}

/*
 * Parse the options. Returns 0, or -1 after a message. On success, optind is the index of the first
 * file.
 */
static int parse(struct command *command, int argc, char **argv)
{
    static const struct option all[] = {
        {"help", no_argument, NULL, 'h'},
        {"output", required_argument, NULL, 'o'},
        {"base", required_argument, NULL, OPT_BASE},
        {"measured", required_argument, NULL, OPT_MEASURED},
        {"pages", required_argument, NULL, OPT_PAGES},
        {"cores", required_argument, NULL, OPT_CORES},
        {"by-working-set", no_argument, NULL, OPT_WORKING_SET},
        {"top", required_argument, NULL, OPT_TOP},
        {"json", no_argument, NULL, OPT_JSON},
        {NULL, 0, NULL, 0},
    };
    optind = 0;
    for (int option; (option = gptl_next_option(WHO, argc, argv, ":ho:", all)) != -1;)
        if (option == '?' || take_option(command, option))
            return -1;
    if (command->help || argc - optind == 2)
        return 0;
    fprintf(stderr, WHO ": a signature and a machine are needed\n%s", usage);
    return -1;
}

/* ---- Predictions --------------------------------------------------------------------------- */

/* Prediction for one machine. */
struct side {
    struct machine machine;
    struct prices *prices;
    struct prediction prediction;
};

/* Predict the machine at PATH. Returns 0, or -1 after a message; always free the side. */
static int predict_side(struct side *side, const struct command *command,
                        const struct signature *signature, const char *path)
{
    if (machine_read(&side->machine, WHO, path))
        return -1;
    side->prices = prices_make(WHO, &side->machine, command->pages, (unsigned)command->cores);
    if (!side->prices)
        return -1;
    uint32_t machine = use_find_machine(signature, &side->machine);
    if (machine == USE_BY_WORKING_SET && !command->by_working_set) {
        fprintf(stderr,
                WHO ": %s: the signature was made without the caches of this machine; trace the "
                    "program again with `gptl memsig --machine %s`, or guess by working sets with "
                    "--by-working-set\n",
                path, path);
        return -1;
    }
    return prediction_make(&side->prediction, signature, machine, side->prices) ? no_memory() : 0;
}

static void free_side(struct side *side)
{
    prediction_free(&side->prediction);
    free(side->prices);
    machine_free(&side->machine);
}

static int write_out(const struct command *command, const struct prediction *prediction)
{
    struct gptl_file file;
    uint32_t top = (uint32_t)command->top;
    if (gptl_file_open(&file, WHO, command->path ? command->path : "/dev/stdout", false))
        return -1;
    int result = command->json ? prediction_json(file.out, prediction, top)
                               : prediction_text(file.out, prediction, top);
    if (result)
        no_memory();
    return gptl_file_close(&file, result == 0) || result ? -1 : 0;
}

/* Read a signature; rejects one without strides, which lacks the data for prices. */
static struct signature *read_signature(const char *path)
{
    struct signature *signature = signature_read(WHO, path);
    if (!signature || !signature->only_caches)
        return signature;
    fprintf(stderr,
            WHO ": %s has no strides and working sets; make it anew: gptl memsig without "
                "--only-caches\n",
            path);
    signature_free(signature);
    return NULL;
}

static int predict(const struct command *command, char **paths)
{
    struct side sides[2] = {{.machine = {.name = NULL}}, {.machine = {.name = NULL}}};
    struct prediction *prediction = &sides[0].prediction;
    struct signature *signature = read_signature(paths[0]);
    int result = signature ? predict_side(&sides[0], command, signature, paths[1]) : -1;
    if (result == 0 && command->base) {
        result = predict_side(&sides[1], command, signature, command->base);
        prediction->base = &sides[1].prediction;
    }
    if (result == 0 && command->nmeasured > 0)
        result = prediction_measure(prediction, WHO, command->measured, command->nmeasured);
    prediction->signature_path = paths[0];
    if (result == 0)
        result = write_out(command, prediction);
    free_side(&sides[0]);
    free_side(&sides[1]);
    signature_free(signature);
    return result;
}

int gptl_predict(int argc, char **argv)
{
    struct command command = {.cores = 1, .top = 20};
    int result = GPTL_EXIT_USAGE;
    command.measured = calloc((size_t)argc + 1, sizeof *command.measured);
    if (!command.measured)
        no_memory();
    else if (parse(&command, argc, argv) == 0) {
        if (command.help)
            result = fputs(usage, stdout) < 0 ? GPTL_EXIT_USAGE : GPTL_EXIT_DONE;
        else
            result = predict(&command, argv + optind) ? GPTL_EXIT_USAGE : GPTL_EXIT_DONE;
    }
    free(command.measured);
    return result;
}
