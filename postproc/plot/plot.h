/* plot.h - pictures, drawn by gnuplot. */
#ifndef GPTL_POSTPROC_PLOT_PLOT_H
#define GPTL_POSTPROC_PLOT_PLOT_H

#include <stdint.h>
#include <sys/types.h>

#include "report/file.h"
#include "report/out.h"

enum picture { PICTURE_NONE, PICTURE_SVG, PICTURE_PNG };

struct plot {
    struct gptl_out *to; /* commands for gnuplot */
    pid_t gnuplot;
    struct gptl_file file;
};

/*
 * Begins the picture at PATH, WIDTH x HEIGHT. Returns 0, or -1 after a message; then there is nothing
 * to close.
 */
int plot_open(struct plot *plot, const char *who, const char *path, enum picture kind, int width,
              int height);
/* Returns 0, or -1 after a message, and then there is no picture. */
int plot_close(struct plot *plot);

/* 'TEXT', as gnuplot quotes. */
void plot_text(struct plot *plot, const char *text);
/* The color of the N-th of several things: they differ for nearly all eyes. */
const char *plot_color(unsigned n);
/* What to divide bytes by, so that MOST is a number to read, and its unit. */
double plot_unit(double most, const char **unit);

#endif
