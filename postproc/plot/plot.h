/* plot.h - pictures drawn by gnuplot. */
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
 * Begin the picture at PATH, WIDTH x HEIGHT pixels. Returns 0, or -1 after a message; do not close
 * it then.
 */
int plot_open(struct plot *plot, const char *who, const char *path, enum picture kind, int width,
              int height);
/* Finish the picture. Returns 0, or -1 after a message; the picture does not exist then. */
int plot_close(struct plot *plot);

/* Write TEXT as a quoted string of gnuplot. */
void plot_text(struct plot *plot, const char *text);
/* Return the color of the N-th item from a palette for color-blind readers. */
const char *plot_color(unsigned n);
/* Return the divisor of bytes that makes MOST a readable number, and its unit. */
double plot_unit(double most, const char **unit);

#endif
