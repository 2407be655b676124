/*
 * collect.c - collects the results of a run: the signature of each process except processes with
 * few accesses (shells and short commands).
 */
#include "config.h"

#include "postproc/memsig/memsig.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "postproc/commands.h"
#include "postproc/ioc/memory.h"
#include "postproc/signature/signature.h"

#include "report/file.h"

struct found {
    struct signature *signature;
    uint64_t accesses;
    long pid;
};

struct all {
    struct found *found;
    size_t n, room;
    uint64_t accesses;
};

static int by_accesses(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    if (x->accesses != y->accesses)
        return x->accesses < y->accesses ? 1 : -1;
    return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* Read the files of FOLDER, which are named by process number; returns -1 after a message. */
static int read_all(struct all *all, const char *folder)
{
    DIR *entries = opendir(folder);
    struct dirent *entry;
    char path[8192];
    bool done = entries != NULL;
    while (entries && (entry = readdir(entries))) {
        char *end;
        long pid = strtol(entry->d_name, &end, 10);
        if (end == entry->d_name || strcmp(end, ".json") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        all->found = memory_room(all->found, &all->room, all->n + 1, sizeof *all->found);
        struct found *found = &all->found[all->n];
        *found = (struct found){.signature = signature_read(WHO, path), .pid = pid};
        if (!found->signature) {
            done = false;
            continue;
        }
        for (uint32_t i = 0; i < found->signature->nblocks; i++)
            found->accesses += signature_accesses(&found->signature->blocks[i]);
        all->accesses += found->accesses;
        all->n++;
    }
    if (entries)
        closedir(entries);
    return done ? 0 : -1;
}

/*
 * Make the name of a signature: {rank} in PATH becomes the rank. Without {rank}, the rank precedes
 * the suffix; so does the process number, except for the first process of a rank.
 */
static void make_name(char *name, size_t size, const char *path, int32_t rank, long pid)
{
    const char *mark = strstr(path, "{rank}");
    char number[64] = "", process[64] = "";
    if (rank >= 0)
        snprintf(number, sizeof number, "%s%d", mark ? "" : ".", rank);
    if (pid)
        snprintf(process, sizeof process, ".%ld", pid);
    size_t length = strlen(path), stem = length;
    if (length > 5 && strcmp(path + length - 5, ".json") == 0)
        stem = length - 5;
    if (mark)
        snprintf(name, size, "%.*s%s%.*s%s%s", (int)(mark - path), path, number,
                 (int)(path + stem - mark - 6), mark + 6, process, path + stem);
    else
        snprintf(name, size, "%.*s%s%s%s", (int)stem, path, number, process, path + stem);
}

static int write_one(const struct signature *s, const char *name)
{
    struct gptl_file file;
    if (gptl_file_open(&file, WHO, name, false))
        return -1;
    signature_write(file.out, s);
    return gptl_file_close(&file, true) ? -1 : 0;
}

static void tell(const struct found *found, const char *name)
{
    const struct signature *s = found->signature;
    fprintf(stderr, WHO ": %s: %s, %llu accesses to memory, %u thread%s%s\n", name, s->program,
            (unsigned long long)found->accesses, s->nthreads, s->nthreads == 1 ? "" : "s",
            s->complete ? "" : ", as far as it came");
}

int memsig_collect(const struct memsig_options *options, const char *folder, pid_t killed)
{
    struct all all = {0};
    char name[8192];
    int result = read_all(&all, folder), written = 0;
    if (all.n > 0)
        qsort(all.found, all.n, sizeof *all.found, by_accesses);
    for (size_t i = 0; i < all.n; i++) {
        struct found *found = &all.found[i];
        bool small = found->accesses < all.accesses / 20;
        if (killed && found->pid == (long)killed)
            found->signature->complete = false;
        make_name(name, sizeof name, options->path, found->signature->rank, i > 0 ? found->pid : 0);
        if (!small && result == 0) {
            result = write_one(found->signature, name);
            written++;
            if (result == 0)
                tell(found, name);
        }
        signature_free(found->signature);
    }
    if (result == 0 && written < (int)all.n)
        fprintf(stderr, WHO ": left out: %d processes with less than 5 %% of the accesses\n",
                (int)all.n - written);
    free(all.found);
    return result == 0 ? written : -1;
}
