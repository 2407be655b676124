/* show.h - a machine's profile as text and as a picture. */
#ifndef GPTL_POSTPROC_MAPS_SHOW_H
#define GPTL_POSTPROC_MAPS_SHOW_H

#include "postproc/machine/machine.h"
#include "postproc/plot/plot.h"

void show_text(const struct machine *machine, struct gptl_out *out);

/* Draw a picture. Returns 0, or -1 after a message. */
int show_picture(const struct machine *machine, const char *path, enum picture kind);

/* Describe a curve without its pages and cores: "load, stride 8 lines". */
void show_kind(const struct machine_kind *kind, char *text, size_t size);

#endif
