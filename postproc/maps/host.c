/*
 * host.c - the kernel's description of this machine: cores, caches, memory. In containers and
 * virtual machines any part may be missing.
 */
#include "config.h"

#include "postproc/maps/host.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "postproc/ioc/memory.h"

enum { MOST_PROCESSORS = 1 << 16, MOST_CACHES = 16 };

/* ---- Files --------------------------------------------------------------------------------- */

/* Read the first line of a file, without its end. */
static bool read_line(const char *path, char *line, size_t size)
{
    FILE *file = fopen(path, "re");
    bool there = file && fgets(line, (int)size, file);
    if (file)
        fclose(file);
    if (there)
        line[strcspn(line, "\n")] = 0;
    return there;
}

static bool of_processor(int processor, const char *what, char *line, size_t size)
{
    char path[256];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/%s", processor, what);
    return read_line(path, line, size);
}

/*
 * Return the first number of a list such as 0-3,8 and its count of numbers, or -1 for an empty
 * list.
 */
static int read_list(const char *list, unsigned *n)
{
    int first = -1, from, to, used;
    for (*n = 0; sscanf(list, "%d%n", &from, &used) == 1 && from >= 0; list++) {
        list += used;
        to = from;
        if (*list == '-' && sscanf(list + 1, "%d%n", &to, &used) == 1)
            list += 1 + used;
        if (to < from || to > MOST_PROCESSORS)
            break;
        *n += (unsigned)(to - from) + 1;
        first = first < 0 ? from : first;
        if (*list != ',')
            break;
    }
    return first;
}

/* ---- Caches -------------------------------------------------------------------------------- */

static uint64_t read_size(const char *text)
{
    char *end;
    uint64_t n = strtoull(text, &end, 10);
    return *end == 'K' ? n << 10 : *end == 'M' ? n << 20 : *end == 'G' ? n << 30 : n;
}

static unsigned number_of(int processor, int index, const char *what)
{
    char name[64], line[64];
    snprintf(name, sizeof name, "cache/index%d/%s", index, what);
    unsigned long n =
        of_processor(processor, name, line, sizeof line) ? strtoul(line, NULL, 10) : 0;
    return n < 1 << 20 ? (unsigned)n : 0;
}

/* Return the number of hardware threads of PROCESSOR's core. */
static unsigned siblings_of(int processor, int *first)
{
    char line[4096];
    unsigned n = 0;
    *first = -1;
    if (of_processor(processor, "topology/thread_siblings_list", line, sizeof line))
        *first = read_list(line, &n);
    if (*first < 0)
        *first = processor;
    return n > 0 ? n : 1;
}

/* Read a cache. Returns false if it does not exist; CACHE gets a size only if it holds data. */
static bool read_cache(int processor, int index, struct machine_cache *cache)
{
    char name[64], line[4096];
    unsigned sharers = 0;
    int first;
    *cache = (struct machine_cache){.source = MACHINE_KERNEL};
    snprintf(name, sizeof name, "cache/index%d/type", index);
    if (!of_processor(processor, name, line, sizeof line))
        return false;
    if (strcmp(line, "Instruction") == 0)
        return true;
    cache->level = number_of(processor, index, "level");
    cache->line_bytes = number_of(processor, index, "coherency_line_size");
    cache->associativity = number_of(processor, index, "ways_of_associativity");
    snprintf(name, sizeof name, "cache/index%d/shared_cpu_list", index);
    if (of_processor(processor, name, line, sizeof line))
        read_list(line, &sharers);
    sharers /= siblings_of(processor, &first);
    cache->shared_by_cores = sharers > 0 ? sharers : 1;
    snprintf(name, sizeof name, "cache/index%d/size", index);
    if (of_processor(processor, name, line, sizeof line))
        cache->bytes = read_size(line);
    return true;
}

/* Get a cache from the C library, which queries the processor. */
static bool library_cache(unsigned level, struct machine_cache *cache)
{
#ifdef _SC_LEVEL1_DCACHE_SIZE
    static const int names[][3] = {
        {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL1_DCACHE_ASSOC, _SC_LEVEL1_DCACHE_LINESIZE},
        {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL2_CACHE_ASSOC, _SC_LEVEL2_CACHE_LINESIZE},
        {_SC_LEVEL3_CACHE_SIZE, _SC_LEVEL3_CACHE_ASSOC, _SC_LEVEL3_CACHE_LINESIZE}};
    long bytes = sysconf(names[level - 1][0]), ways = sysconf(names[level - 1][1]);
    long line = sysconf(names[level - 1][2]);
    if (bytes <= 0)
        return false;
    *cache = (struct machine_cache){.level = level,
                                    .bytes = (uint64_t)bytes,
                                    .line_bytes = line > 0 ? (unsigned)line : 64,
                                    .associativity = ways > 0 ? (unsigned)ways : 0,
                                    .shared_by_cores = 1,
                                    .source = MACHINE_KERNEL};
    return true;
#else /* musl */
    (void)level;
    (void)cache;
    return false;
#endif
}

/* Add a cache; inconsistent ones are omitted, because the measurement finds the actual ones. */
static void add_cache(struct machine *machine, struct machine_cache cache)
{
    const struct machine_cache *last =
        machine->ncaches > 0 ? &machine->caches[machine->ncaches - 1] : NULL;
    if (cache.level == 0 || cache.bytes < 1024 || machine->ncaches == MOST_CACHES ||
        (last && (cache.level <= last->level || cache.bytes <= last->bytes)))
        return;
    if (cache.line_bytes == 0 || cache.line_bytes & (cache.line_bytes - 1))
        cache.line_bytes = 64;
    machine->caches[machine->ncaches++] = cache;
}

static void look_for_caches(struct machine *machine, int processor)
{
    struct machine_cache cache;
    machine->caches = memory_zeros(MOST_CACHES, sizeof *machine->caches);
    for (int index = 0; index < MOST_CACHES && read_cache(processor, index, &cache); index++)
        add_cache(machine, cache);
    for (unsigned level = 1; level <= 3 && machine->ncaches < level; level++)
        if (library_cache(level, &cache))
            add_cache(machine, cache);
    machine->line_bytes = machine->ncaches > 0 ? machine->caches[0].line_bytes : 64;
}

/* ---- Cores --------------------------------------------------------------------------------- */

static bool is_allowed(const cpu_set_t *set, size_t size, int processor)
{
    return CPU_ISSET_S((size_t)processor, size, set);
}

/*
 * Return whether the processor has the caches of the first one: some machines have two kinds of
 * cores.
 */
static bool is_alike(const struct host *host, int processor)
{
    char first[64] = "", other[64] = "";
    if (host->ncores == 0)
        return true;
    for (int index = 0; index < 3; index++) {
        char name[64];
        snprintf(name, sizeof name, "cache/index%d/size", index);
        of_processor(host->processors[0], name, first, sizeof first);
        of_processor(processor, name, other, sizeof other);
        if (strcmp(first, other) != 0)
            return false;
    }
    return true;
}

/* Find the cores; each is represented by its first allowed hardware thread. */
static void look_for_cores(struct host *host)
{
    size_t size = CPU_ALLOC_SIZE(MOST_PROCESSORS);
    cpu_set_t *allowed = CPU_ALLOC(MOST_PROCESSORS);
    bool *taken = memory_zeros(MOST_PROCESSORS, sizeof *taken);
    if (!allowed)
        memory_end();
    CPU_ZERO_S(size, allowed);
    if (sched_getaffinity(0, size, allowed) != 0)
        CPU_SET_S(0, size, allowed);
    host->processors =
        memory_zeros((size_t)CPU_COUNT_S(size, allowed) + 1, sizeof *host->processors);
    for (int i = 0; i < MOST_PROCESSORS; i++) {
        int core;
        if (!is_allowed(allowed, size, i))
            continue;
        siblings_of(i, &core);
        if (core < MOST_PROCESSORS && taken[core])
            continue;
        if (core < MOST_PROCESSORS)
            taken[core] = true;
        if (is_alike(host, i))
            host->processors[host->ncores++] = i;
        else
            host->nothers++;
    }
    CPU_FREE(allowed);
    free(taken);
    if (host->ncores == 0)
        host->ncores = 1;
}

/* ---- Memory -------------------------------------------------------------------------------- */

static uint64_t available_bytes(void)
{
    char line[256];
    unsigned long long kilobytes = 0;
    FILE *file = fopen("/proc/meminfo", "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %llu", &kilobytes) == 1)
            break;
    if (file)
        fclose(file);
    return kilobytes > 0 ? (uint64_t)kilobytes << 10 : (uint64_t)1 << 30;
}

/* Return the memory left by a limit of the control group or its ancestors. */
static uint64_t group_leaves(const char *root, char *folder, const char *limit, const char *used)
{
    uint64_t least = UINT64_MAX;
    for (;;) {
        char path[8192], line[64];
        uint64_t most = UINT64_MAX, now = 0;
        snprintf(path, sizeof path, "%s%s/%s", root, folder, limit);
        if (read_line(path, line, sizeof line) && line[0] != 'm') /* "max" */
            most = strtoull(line, NULL, 10);
        snprintf(path, sizeof path, "%s%s/%s", root, folder, used);
        if (read_line(path, line, sizeof line))
            now = strtoull(line, NULL, 10);
        if (most != UINT64_MAX)
            least =
                most - (now < most ? now : most) < least ? most - (now < most ? now : most) : least;
        char *slash = strrchr(folder, '/');
        if (!slash)
            return least;
        *slash = 0;
    }
}

static uint64_t groups_leave(void)
{
    char line[4096];
    uint64_t least = UINT64_MAX;
    FILE *file = fopen("/proc/self/cgroup", "re");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        char *names = strchr(line, ':'), *folder = names ? strchr(names + 1, ':') : NULL;
        if (!folder)
            continue;
        *folder++ = 0;
        uint64_t left = UINT64_MAX;
        if (names[1] == 0)
            left = group_leaves("/sys/fs/cgroup", folder, "memory.max", "memory.current");
        else if (strstr(names + 1, "memory"))
            left = group_leaves("/sys/fs/cgroup/memory", folder, "memory.limit_in_bytes",
                                "memory.usage_in_bytes");
        least = left < least ? left : least;
    }
    if (file)
        fclose(file);
    return least;
}

static uint64_t memory_that_is_free(void)
{
    uint64_t bytes = available_bytes(), left = groups_leave();
    struct rlimit limit;
    bytes = left < bytes ? left : bytes;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        limit.rlim_cur < bytes)
        bytes = limit.rlim_cur;
    return bytes / 10;
}

/* ---- Names --------------------------------------------------------------------------------- */

static char *processor_name(void)
{
    static const char *const keys[] = {"model name", "cpu model", "Processor", "cpu\t"};
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        for (size_t i = 0; colon && i < sizeof keys / sizeof *keys; i++)
            if (strncmp(line, keys[i], strlen(keys[i])) == 0) {
                line[strcspn(line, "\n")] = 0;
                fclose(file);
                return memory_text(colon + 1 + strspn(colon + 1, " \t"));
            }
    }
    if (file)
        fclose(file);
    return memory_text("unknown");
}

static void fill_names(struct machine *machine)
{
    char text[256] = "unknown";
    time_t now = time(NULL);
    struct tm utc;
    gethostname(text, sizeof text - 1);
    machine->host = memory_text(text);
    machine->name = memory_text(text);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    machine->date = memory_text(text);
    machine->processor = processor_name();
}

void host_look(struct host *host, struct machine *machine)
{
    *host = (struct host){0};
    look_for_cores(host);
    host->memory_bytes = memory_that_is_free();
    fill_names(machine);
    machine->cores = host->ncores;
    look_for_caches(machine, host->processors[0]);
}

void host_free(struct host *host)
{
    free(host->processors);
    *host = (struct host){0};
}
