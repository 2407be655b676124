/* memsig.h - gptl memsig: what its files share. */
#ifndef GPTL_POSTPROC_MEMSIG_H
#define GPTL_POSTPROC_MEMSIG_H

#include <stdbool.h>
#include <sys/types.h>

#define WHO "gptl memsig"

struct machine;

/* What the command says. */
struct memsig_options {
    const char *path; /* of the signature */
    const char **machines;
    int nmachines;            /* 0: this one's caches */
    unsigned long long burst; /* blocks; 0: each access is simulated */
    bool only_caches;
    unsigned long paths;    /* of regions, at most */
    unsigned long interval; /* seconds between writing what is known */
    char **words;           /* the program and its arguments */
};

/*
 * Runs the program under the tool, which leaves PID.json in FOLDER for each process. Returns the wait
 * status of its first process, whose number is *PID, or -1 after a message.
 */
int memsig_launch(const struct memsig_options *options, const char *folder, pid_t *pid);

/*
 * If the words start ranks by a launcher of MPI, runs it with this command before the program; then it
 * does not return, unless that fails. False: they do not.
 */
bool memsig_launch_ranks(const struct memsig_options *options, int argc, char **argv);

/*
 * Gives the signatures in FOLDER their names, and says what there is. KILLED: the process that a signal
 * has ended, or 0. Returns how many there are, -1 after a message.
 */
int memsig_collect(const struct memsig_options *options, const char *folder, pid_t killed);

/* gptl memsig show and gptl memsig merge, with that word as ARGV[0]. */
int memsig_show(int argc, char **argv);
int memsig_merge(int argc, char **argv);

#endif
