/* memsig.h - interface between the files of gptl memsig. */
#ifndef GPTL_POSTPROC_MEMSIG_H
#define GPTL_POSTPROC_MEMSIG_H

#include <stdbool.h>
#include <sys/types.h>

#define WHO "gptl memsig"

struct machine;

/* Options of the command. */
struct memsig_options {
    const char *path; /* path of the signature */
    const char **machines;
    int nmachines;            /* 0: the caches of this machine */
    unsigned long long burst; /* sampling burst in blocks; 0: simulate all accesses */
    bool only_caches;
    unsigned long paths;    /* maximum number of call paths */
    unsigned long interval; /* seconds between periodic writes */
    char **words;           /* the program and its arguments */
};

/*
 * Run the program under the tool, which writes PID.json into FOLDER for each process. Returns the
 * wait status of its first process, whose number is *PID, or -1 after a message.
 */
int memsig_launch(const struct memsig_options *options, const char *folder, pid_t *pid);

/*
 * If the command starts ranks with an MPI launcher, execute it with this command inserted before
 * the program; returns only on failure. Returns false without a launcher.
 */
bool memsig_launch_ranks(const struct memsig_options *options, int argc, char **argv);

/*
 * Give the signatures in FOLDER their final names and report them. KILLED is the process that died
 * of a signal, or 0. Returns their number, or -1 after a message.
 */
int memsig_collect(const struct memsig_options *options, const char *folder, pid_t killed);

/* Run gptl memsig show and gptl memsig merge; ARGV[0] is that word. */
int memsig_show(int argc, char **argv);
int memsig_merge(int argc, char **argv);

#endif
