/* stack.c - opens logs, and manages their processes and names. */
#include "config.h"

#include "postproc/iostack/stack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "postproc/ioc/memory.h"

/* ---- Words --------------------------------------------------------------------------------- */

static const char *const layers[] = {"none", "app",    "hdf5",   "pnetcdf", "mpi", "adio",
                                     "comm", "client", "server", "posix",   "disk"};
static const char *const operations[] = {"none",  "read",    "write",      "open",
                                         "close", "sync",    "resize",     "metadata",
                                         "send",  "receive", "collective", "other"};

enum { NNAMED = sizeof layers / sizeof layers[0] };

const char *stack_layer(int layer)
{
    return layer > 0 && layer < NNAMED ? layers[layer] : "other";
}

const char *stack_operation(int operation)
{
    return operation > 0 && operation < (int)(sizeof operations / sizeof operations[0])
               ? operations[operation]
               : "other";
}

int stack_layer_of(const char *name, size_t size)
{
    static const struct {
        const char *name;
        int layer;
    } others[] = {{"application", GPTL_LAYER_APP},   {"mpi-io", GPTL_LAYER_MPI},
                  {"mpiio", GPTL_LAYER_MPI},         {"pvfsclient", GPTL_LAYER_CLIENT},
                  {"pvfsserver", GPTL_LAYER_SERVER}, {"pvfs2client", GPTL_LAYER_CLIENT},
                  {"pvfs2server", GPTL_LAYER_SERVER}};
    for (int i = 1; i < NNAMED; i++)
        if (strlen(layers[i]) == size && strncasecmp(name, layers[i], size) == 0)
            return i;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strlen(others[i].name) == size && strncasecmp(name, others[i].name, size) == 0)
            return others[i].layer;
    return 0;
}

/* ---- Names --------------------------------------------------------------------------------- */

void stack_add_name(struct stack *stack, uint64_t hash, const char *text, size_t size)
{
    uint64_t *at = map_put(&stack->name_by_hash, hash);
    if (*at)
        return;
    *at = stack->names_used + 1;
    stack->names = memory_room(stack->names, &stack->names_room, stack->names_used + size + 1, 1);
    memcpy(stack->names + stack->names_used, text, size);
    stack->names[stack->names_used + size] = '\0';
    stack->names_used += size + 1;
}

const char *stack_name(const struct stack *stack, uint64_t hash)
{
    const uint64_t *at = hash ? map_find(&stack->name_by_hash, hash) : NULL;
    return at && *at ? stack->names + *at - 1 : "";
}

int64_t stack_index(const struct stack *stack, uint32_t process, int layer)
{
    int64_t index = 0;
    for (uint32_t i = 0; i < process; i++)
        index += stack->processes[i].layers >> layer & 1;
    return index;
}

uint32_t stack_nth(const struct stack *stack, int64_t n, int layer)
{
    for (uint32_t i = 0; i < stack->nprocesses; i++)
        if (stack->processes[i].layers >> layer & 1 && n-- == 0)
            return i;
    return NO_PROCESS;
}

/* ---- Logs ---------------------------------------------------------------------------------- */

static int refuse(const char *path, const char *why)
{
    fprintf(stderr, "gptl iostack: %s: %s\n", path, why);
    return -1;
}

/* Return whether the times are from 1970 to 2116, so that differences do not overflow. */
static bool is_anchor(const struct gptl_iostack_anchor *anchor)
{
    return anchor->wall >= 0 && anchor->wall <= INT64_MAX / 2 && anchor->monotonic >= 0 &&
           anchor->monotonic <= INT64_MAX / 2;
}

/* Check a header. Returns NULL, or the reason of rejection. */
static const char *check_header(struct gptl_iostack_header *h, ssize_t got)
{
    if (got < (ssize_t)sizeof h->magic ||
        memcmp(h->magic, GPTL_IOSTACK_MAGIC, sizeof h->magic) != 0)
        return "this is no log of spans";
    if (got < (ssize_t)sizeof *h)
        return "the log ends within its header";
    if (h->version != GPTL_IOSTACK_VERSION)
        return "the log has another version than this gptl reads; use the gptl that belongs to the "
               "libgptl_probe which wrote it";
    if (h->header_size != sizeof *h || h->record_size != sizeof(struct gptl_iostack_record) ||
        h->layer == 0 || h->layer >= NLAYERS || h->process == 0 || !is_anchor(&h->first) ||
        !is_anchor(&h->later[0]) || !is_anchor(&h->later[1]))
        return "the header of the log is damaged";
    h->host[sizeof h->host - 1] = h->program[sizeof h->program - 1] = '\0';
    h->node[sizeof h->node - 1] = '\0';
    return NULL;
}

static char *label_of(const struct gptl_iostack_header *h)
{
    char text[600];
    if (*h->node)
        snprintf(text, sizeof text, "%s", h->node);
    else if (h->rank >= 0)
        snprintf(text, sizeof text, "rank %lld", (long long)h->rank);
    else
        snprintf(text, sizeof text, "%s:%lld", h->host, (long long)h->pid);
    return memory_text(text);
}

uint32_t stack_process(const struct stack *stack, uint64_t id)
{
    const uint64_t *index = map_find(&stack->process_by_id, id);
    return index ? (uint32_t)(*index - 1) : NO_PROCESS;
}

static uint64_t program_of(struct stack *stack, const struct gptl_iostack_header *h)
{
    size_t size = strlen(h->program);
    uint64_t program = gptl_iostack_hash(h->program, size);
    stack_add_name(stack, program, h->program, size);
    stack->has_programs |= stack->nprocesses > 0 && program != stack->processes[0].program;
    return program;
}

static uint32_t process_of(struct stack *stack, const struct gptl_iostack_header *h)
{
    uint64_t *index = map_put(&stack->process_by_id, h->process);
    if (*index == 0) {
        stack->processes = memory_room(stack->processes, &stack->processes_room,
                                       stack->nprocesses + 1, sizeof *stack->processes);
        stack->processes[stack->nprocesses] = (struct process){.id = h->process,
                                                               .rank = h->rank,
                                                               .pid = h->pid,
                                                               .label = label_of(h),
                                                               .program = program_of(stack, h)};
        *index = ++stack->nprocesses;
    }
    stack->processes[*index - 1].layers |= 1u << h->layer;
    return (uint32_t)(*index - 1);
}

static int open_log(struct stack *stack, const char *path)
{
    struct gptl_iostack_header header;
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) != 0) {
        int result = refuse(path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return result;
    }
    const char *wrong = S_ISREG(status.st_mode)
                            ? check_header(&header, pread(fd, &header, sizeof header, 0))
                            : "this is not a file";
    for (size_t i = 0; i < stack->nlogs && !wrong; i++)
        if (stack->logs[i].device == status.st_dev && stack->logs[i].inode == status.st_ino) {
            fprintf(stderr, "gptl iostack: %s: the same file as %s; it is read once\n", path,
                    stack->logs[i].path);
            close(fd);
            return 0;
        }
    if (wrong) {
        close(fd);
        return refuse(path, wrong);
    }
    stack->logs =
        memory_room(stack->logs, &stack->logs_room, stack->nlogs + 1, sizeof *stack->logs);
    stack->logs[stack->nlogs++] = (struct span_log){.path = memory_text(path),
                                                    .fd = fd,
                                                    .size = (uint64_t)status.st_size,
                                                    .device = status.st_dev,
                                                    .inode = status.st_ino,
                                                    .header = header,
                                                    .process = process_of(stack, &header)};
    return 0;
}

/* Order logs by rank, so that the first client is rank 0 regardless of the order of arguments. */
static int compare_logs(const void *x, const void *y)
{
    const struct span_log *a = x, *b = y;
    int64_t r = a->header.rank < 0 ? INT64_MAX : a->header.rank;
    int64_t s = b->header.rank < 0 ? INT64_MAX : b->header.rank;
    if (r != s)
        return r < s ? -1 : 1;
    return strcmp(a->path, b->path);
}

/*
 * Return whether PROCESS is only a server: clients of a file system have logs of layers above the
 * server's.
 */
static bool is_server(const struct process *process)
{
    return (process->layers >> GPTL_LAYER_SERVER & 1) &&
           !(process->layers & ((1u << GPTL_LAYER_SERVER) - 1));
}

/* Label servers as "server 1 (fs2:4711)", because "rank 1" denotes a client. */
static void label_servers(struct stack *stack)
{
    unsigned long n = 0;
    for (size_t i = 0; i < stack->nprocesses; i++) {
        struct process *process = &stack->processes[i];
        char *label = NULL;
        if (!is_server(process) || strncmp(process->label, "server", 6) == 0)
            continue;
        bool is_rank = process->rank >= 0 && strncmp(process->label, "rank ", 5) == 0;
        if (is_rank ? asprintf(&label, "server %lld", (long long)process->rank) < 0
                    : asprintf(&label, "server %lu (%s)", n, process->label) < 0)
            memory_end();
        free(process->label);
        process->label = label;
        n++;
    }
}

static void number_processes(struct stack *stack)
{
    qsort(stack->logs, stack->nlogs, sizeof *stack->logs, compare_logs);
    for (size_t i = 0; i < stack->nprocesses; i++)
        free(stack->processes[i].label);
    map_free(&stack->process_by_id);
    stack->nprocesses = 0;
    for (size_t i = 0; i < stack->nlogs; i++)
        stack->logs[i].process = process_of(stack, &stack->logs[i].header);
    label_servers(stack);
}

/* Raise the limit of open files: a log for each layer of each rank may exceed the default. */
static void allow_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

int stack_open(struct stack *stack, char *const *paths, size_t npaths)
{
    int result = 0;
    allow_files();
    *stack = (struct stack){0};
    for (size_t i = 0; i < npaths; i++)
        if (open_log(stack, paths[i]))
            result = -1;
    if (result == 0 && stack->nlogs > 0) {
        number_processes(stack);
        clock_begin(stack);
    }
    return result;
}

void stack_free(struct stack *stack)
{
    for (size_t i = 0; i < stack->nlogs; i++) {
        close(stack->logs[i].fd);
        free(stack->logs[i].path);
    }
    for (size_t i = 0; i < stack->nprocesses; i++)
        free(stack->processes[i].label);
    for (size_t i = 0; i < stack->nhosts; i++)
        free(stack->hosts[i].name);
    free(stack->logs);
    free(stack->processes);
    free(stack->hosts);
    free(stack->bounds);
    free(stack->collectives);
    free(stack->openings);
    map_free(&stack->bound_of);
    free(stack->samples);
    free(stack->names);
    map_free(&stack->process_by_id);
    map_free(&stack->name_by_hash);
}
