/*
 * device.c - activity of the devices under files, as counted by the kernel: per device the accesses
 * of all processes on the host, and for this process the accesses that it caused. A sample of both
 * is recorded when a file is opened or closed and when the process ends; the reader computes
 * differences.
 *
 * A sample takes the kernel a long time, and a program may open thousands of files. Therefore the
 * interval after a sample is at least 1000 times its duration. The final sample is always recorded.
 */
#include "config.h"

#include "gptl_probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "iostack/clock.h"
#include "iostack/state.h"
#include "posix/apart.h"
#include "posix/raw.h"

enum { MOST_DEVICES = 64, REST = 1000 };

/*
 * The devices under the device numbers of files. Each entry is complete before NDEVICES includes
 * it.
 */
static struct device {
    dev_t of_files, number; /* number 0: not counted by the kernel */
    int layer;
    atomic_uint_least64_t due; /* earliest time of the next sample */
} devices[MOST_DEVICES];
static atomic_uint ndevices;
static atomic_flag adding = ATOMIC_FLAG_INIT;

/* ---- Reading files of /proc by lines --------------------------------------------------------- */

struct lines {
    int fd;
    size_t at, n;
    char buffer[4096], line[512];
};

static bool next_line(struct lines *l)
{
    for (size_t used = 0;;) {
        if (l->at == l->n) {
            ssize_t n = gptl_raw_read(l->fd, l->buffer, sizeof l->buffer);
            l->at = 0;
            l->n = n > 0 ? (size_t)n : 0;
            if (n <= 0)
                return false;
        }
        char c = l->buffer[l->at++];
        if (c == '\n') {
            l->line[used] = '\0';
            return true;
        }
        if (used + 1 < sizeof l->line)
            l->line[used++] = c;
    }
}

static bool open_lines(struct lines *l, const char *path)
{
    l->at = l->n = 0;
    l->fd = gptl_raw_open(path, O_RDONLY, 0);
    return l->fd >= 0;
}

/* ---- Finding the device ---------------------------------------------------------------------- */

/*
 * Return the device from which a file system with a separate number (btrfs, overlays) was mounted.
 */
static dev_t mounted_from(dev_t number)
{
    struct lines l;
    struct stat status;
    dev_t found = 0;
    if (!open_lines(&l, "/proc/self/mountinfo"))
        return 0;
    while (found == 0 && next_line(&l)) {
        unsigned major_number, minor_number;
        char source[256];
        const char *rest = strstr(l.line, " - ");
        if (rest && sscanf(l.line, "%*d %*d %u:%u", &major_number, &minor_number) == 2 &&
            makedev(major_number, minor_number) == number &&
            sscanf(rest, " - %*s %255s", source) == 1 && gptl_raw_stat(source, &status) == 0 &&
            S_ISBLK(status.st_mode))
            found = status.st_rdev;
    }
    gptl_raw_close(l.fd);
    return found;
}

/* ---- Samples --------------------------------------------------------------------------------- */

static void put_sample(int layer, const char *name, const struct gptl_iostack_device *sample)
{
    struct gptl_iostack_thread *t = gptl_iostack_enter();
    if (!t)
        return;
    uint64_t number = gptl_iostack_name(t, layer, name);
    struct gptl_iostack_record *r = gptl_iostack_take(t, layer);
    if (r) {
        struct gptl_iostack_device d = *sample;
        d.layer = (uint8_t)layer;
        d.thread = t->thread;
        d.when = gptl_counter_read();
        d.name = number;
        memcpy(r, &d, sizeof d);
        gptl_iostack_show(r, GPTL_IOSTACK_DEVICE);
    }
    gptl_iostack_leave(t);
}

/* Record a sample; return whether the kernel counts for this device. */
static bool sample_device(dev_t number, int layer)
{
    enum { SECTOR = 512 };
    struct lines l;
    bool found = false;
    if (!open_lines(&l, "/proc/diskstats"))
        return false;
    while (!found && next_line(&l)) {
        unsigned long long reads, read, writes, written, busy;
        char name[128], *rest;
        unsigned major_number = (unsigned)strtoul(l.line, &rest, 10);
        unsigned minor_number = (unsigned)strtoul(rest, &rest, 10);
        if (makedev(major_number, minor_number) != number ||
            sscanf(rest, "%127s %llu %*u %llu %*u %llu %*u %llu %*u %*u %llu", name, &reads, &read,
                   &writes, &written, &busy) != 6)
            continue;
        found = true;
        put_sample(layer, name,
                   &(struct gptl_iostack_device){.reads = reads,
                                                 .writes = writes,
                                                 .bytes_read = read * SECTOR,
                                                 .bytes_written = written * SECTOR,
                                                 .busy = busy});
    }
    gptl_raw_close(l.fd);
    return found;
}

static void sample_process(int layer)
{
    struct lines l;
    struct gptl_iostack_device d = {.is_process = 1};
    unsigned known = 0;
    if (!open_lines(&l, "/proc/self/io"))
        return;
    while (next_line(&l)) {
        const struct {
            const char *name;
            uint64_t *to;
        } all[] = {{"syscr:", &d.reads},
                   {"syscw:", &d.writes},
                   {"read_bytes:", &d.bytes_read},
                   {"write_bytes:", &d.bytes_written}};
        for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
            if (strncmp(l.line, all[i].name, strlen(all[i].name)) == 0) {
                *all[i].to = strtoull(l.line + strlen(all[i].name), NULL, 10);
                known++;
            }
    }
    gptl_raw_close(l.fd);
    if (known == 4)
        put_sample(layer, "process", &d);
}

/* Return the device, or NULL if it is not in the table. */
static struct device *find(dev_t of_files, int layer)
{
    unsigned n = atomic_load(&ndevices);
    for (unsigned i = 0; i < n; i++)
        if (devices[i].of_files == of_files && devices[i].layer == layer)
            return &devices[i];
    return NULL;
}

/*
 * Add a device. If another thread is adding one, or the table is full, the device gets no final
 * sample.
 */
static void remember(dev_t of_files, dev_t number, int layer, uint64_t due)
{
    if (atomic_flag_test_and_set(&adding))
        return;
    unsigned n = atomic_load(&ndevices);
    if (n < MOST_DEVICES && !find(of_files, layer)) {
        devices[n].of_files = of_files;
        devices[n].number = number;
        devices[n].layer = layer;
        atomic_store(&devices[n].due, due);
        atomic_store(&ndevices, n + 1);
    }
    atomic_flag_clear(&adding);
}

/*
 * Record a sample; return the earliest time of the next one, or 0 if the kernel does not count for
 * this device.
 */
static uint64_t sample(dev_t number, int layer)
{
    uint64_t begin = gptl_counter_read();
    if (number == 0 || !sample_device(number, layer))
        return 0;
    sample_process(layer);
    uint64_t end = gptl_counter_read();
    return end + REST * (end - begin);
}

struct wish {
    int layer;
    const char *file;
};

static void look_at_disk(void *arg)
{
    const struct wish *w = arg;
    struct stat status;
    if (gptl_raw_stat(w->file, &status) != 0)
        return;
    struct device *d = find(status.st_dev, w->layer);
    if (!d) {
        dev_t number = major(status.st_dev) ? status.st_dev : mounted_from(status.st_dev);
        uint64_t due = sample(number, w->layer);
        remember(status.st_dev, due ? number : 0, w->layer, due);
    } else if (d->number != 0 && gptl_counter_read() >= atomic_load(&d->due)) {
        atomic_store(&d->due, sample(d->number, w->layer));
    }
}

void GPTLprobe_disk(int layer, const char *file)
{
    struct wish wish = {layer, file};
    int error = errno;
    if (gptl_iostack_is_layer(layer) && !gptl_iostack_process.off)
        gptl_posix_apart(look_at_disk, &wish);
    errno = error;
}

void gptl_iostack_devices_end(void)
{
    unsigned n = atomic_exchange(&ndevices, 0);
    for (unsigned i = 0; i < n; i++)
        sample(devices[i].number, devices[i].layer);
}

/* Discard all devices in a forked child, which has separate logs, if any. */
void gptl_iostack_devices_forget(void)
{
    atomic_store(&ndevices, 0);
    atomic_flag_clear(&adding);
}
