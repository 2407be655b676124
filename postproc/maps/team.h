/* team.h - threads, each pinned to a processor of its own, that work in step. */
#ifndef GPTL_POSTPROC_MAPS_TEAM_H
#define GPTL_POSTPROC_MAPS_TEAM_H

struct team;

/* One thread on each of N processors. NULL after a message. */
struct team *team_start(const int *processors, unsigned n);
void team_end(struct team *team);

unsigned team_size(const struct team *team);

/* Each member, from 0 on, calls WORK; returns when all have. */
typedef void (*team_work)(void *argument, unsigned member);
void team_run(struct team *team, team_work work, void *argument);

/* Called by members: each goes on when all have come. */
void team_step(struct team *team);

#endif
