/* plot.c - draws pictures: sends commands to gnuplot through a pipe; gnuplot writes the file. */
#include "config.h"

#include "postproc/plot/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "postproc/ioc/memory.h"

#include "report/name.h"

extern char **environ;

/*
 * Return our environment with a locale of decimal points and UTF-8 texts. The caller frees the
 * array.
 */
static char **gnuplot_environment(void)
{
    static char locale[] = "LC_ALL=C.UTF-8";
    size_t n = 0, kept = 0;
    while (environ[n])
        n++;
    char **all = memory_zeros(n + 2, sizeof *all);
    for (size_t i = 0; i < n; i++)
        if (strncmp(environ[i], "LC_ALL=", 7) != 0)
            all[kept++] = environ[i];
    all[kept] = locale;
    return all;
}

static int start_gnuplot(struct plot *plot, const char *who, int *commands)
{
    static char name[] = "gnuplot";
    char *arguments[] = {name, NULL};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        fprintf(stderr, "%s: cannot talk to gnuplot: %s\n", who, strerror(errno));
        return -1;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
    posix_spawn_file_actions_adddup2(&actions, plot->file.out->fd, 1);
    char **environment = gnuplot_environment();
    int error = posix_spawnp(&plot->gnuplot, name, &actions, NULL, arguments, environment);
    free(environment);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    *commands = ends[1];
    if (error == 0)
        return 0;
    close(ends[1]);
    if (error == ENOENT)
        fprintf(stderr,
                "%s: gnuplot draws the pictures, and is not installed (Debian: gnuplot-nox); the "
                "numbers can be printed without it\n",
                who);
    else
        fprintf(stderr, "%s: cannot start gnuplot: %s\n", who, strerror(error));
    return -1;
}

int plot_open(struct plot *plot, const char *who, const char *path, enum picture kind, int width,
              int height)
{
    int commands;
    *plot = (struct plot){0};
    if (gptl_file_open(&plot->file, who, path, false))
        return -1;
    if (start_gnuplot(plot, who, &commands) == 0) {
        plot->to = gptl_out_new(commands);
        if (plot->to) {
            gptl_out_format(plot->to,
                            "set terminal %s size %d,%d noenhanced font 'DejaVu Sans,%d' "
                            "background rgb 'white'\nset encoding utf8\n",
                            kind == PICTURE_SVG ? "svg dynamic" : "pngcairo", width, height,
                            kind == PICTURE_SVG ? 13 : 11);
            return 0;
        }
        close(commands);
        waitpid(plot->gnuplot, NULL, 0);
        fprintf(stderr, "%s: there is not enough memory for this\n", who);
    }
    gptl_file_close(&plot->file, false);
    return -1;
}

int plot_close(struct plot *plot)
{
    int status, error = gptl_out_flush(plot->to);
    const char *who = plot->file.function;
    close(plot->to->fd);
    free(plot->to);
    while (waitpid(plot->gnuplot, &status, 0) < 0 && errno == EINTR)
        ;
    bool drawn = error == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!drawn)
        fprintf(stderr, "%s: gnuplot could not draw the picture; the numbers can be printed\n",
                who);
    return gptl_file_close(&plot->file, drawn) == 0 && drawn ? 0 : -1;
}

void plot_text(struct plot *plot, const char *text)
{
    gptl_out_char(plot->to, '\'');
    for (const char *c = text; *c;) {
        bool plain;
        size_t n = gptl_name_character(c, &plain);
        if (*c == '\'')
            gptl_out_literal(plot->to, "''");
        else if (plain)
            gptl_out_bytes(plot->to, c, n);
        else
            gptl_out_char(plot->to, '?');
        c += n;
    }
    gptl_out_char(plot->to, '\'');
}

const char *plot_color(unsigned n)
{
    /* Light and dark colors alternate, so that neighbors also differ in print. */
    static const char *const colors[] = {"#0072b2", "#e69f00", "#009e73", "#cc3311",
                                         "#56b4e9", "#aa4499", "#ddaa33", "#332288",
                                         "#44aa99", "#882255", "#999933", "#777777"};
    return colors[n % (sizeof colors / sizeof colors[0])];
}

double plot_unit(double most, const char **unit)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
    double divisor = 1;
    int i = 0;
    for (; most / divisor >= 2048 && i < 5; i++)
        divisor *= 1024;
    *unit = units[i];
    return divisor;
}
