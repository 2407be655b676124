/* team.h - pinned threads, one per processor, that work in lockstep. */
#ifndef GPTL_POSTPROC_MAPS_TEAM_H
#define GPTL_POSTPROC_MAPS_TEAM_H

struct team;

/* Start a thread on each of N processors. NULL after a message. */
struct team *team_start(const int *processors, unsigned n);
void team_end(struct team *team);

unsigned team_size(const struct team *team);

/* Call WORK in each member, numbered from 0; returns when all have finished. */
typedef void (*team_work)(void *argument, unsigned member);
void team_run(struct team *team, team_work work, void *argument);

/* Barrier between the members. */
void team_step(struct team *team);

#endif
