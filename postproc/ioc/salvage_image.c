/*
 * salvage_image.c - loads the memory file of a killed process's recorder.
 *
 * All contents are validated: data outside its area is ignored.
 */
#include "config.h"

#include "postproc/ioc/salvage_image.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "postproc/ioc/memory.h"

/* ---- The file ------------------------------------------------------------------------------ */

static bool is_area(const struct gptl_ioc_salvage *head, const struct gptl_ioc_area *area)
{
    return area->at % GPTL_IOC_SALVAGE_ALIGN == 0 && area->at <= head->size &&
           area->size <= head->size - area->at;
}

static const char *unusable(const struct gptl_ioc_salvage *head)
{
    if (memcmp(head->magic, GPTL_IOC_SALVAGE_MAGIC, sizeof head->magic) != 0)
        return "it is no salvage file of I/O calls, or its process ended before it began";
    if (head->version != GPTL_IOC_SALVAGE_VERSION ||
        head->slot_size != sizeof(struct gptl_ioc_slot))
        return "another version of the library wrote it";
    uint64_t room = head->texts.size;
    if (!is_area(head, &head->slots) || !is_area(head, &head->texts) ||
        !is_area(head, &head->base) || !is_area(head, &head->names) ||
        !is_area(head, &head->ring) || head->size > (uint64_t)1 << 46 ||
        head->process_size > room || head->calls_size > room - head->process_size ||
        head->unseen_size > room - head->process_size - head->calls_size ||
        !memchr(head->log, 0, sizeof head->log) || !*head->log)
        return "it is damaged";
    return NULL;
}

/*
 * Read the file except its holes. It is not mapped, because access to a hole on a full tmpfs raises
 * a signal.
 */
static bool read_data(int fd, char *pages, uint64_t size)
{
    for (off_t at = 0; (uint64_t)at < size;) {
        off_t data = lseek(fd, at, SEEK_DATA), end;
        if (data < 0 && errno == ENXIO)
            return true;
        data = data < 0 ? at : data;
        end = lseek(fd, data, SEEK_HOLE);
        for (end = end < 0 || (uint64_t)end > size ? (off_t)size : end; data < end;) {
            ssize_t n = pread(fd, pages + data, (size_t)(end - data), data);
            if (n <= 0)
                return false;
            data += n;
        }
        at = end;
    }
    return true;
}

const char *image_open(struct image *image, int fd)
{
    struct stat status;
    struct gptl_ioc_salvage head;
    *image = (struct image){0};
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
        pread(fd, &head, sizeof head, 0) != (ssize_t)sizeof head)
        return "it is too short to be a salvage file";
    const char *wrong = unusable(&head);
    if (wrong)
        return wrong;
    image->size = head.size;
    image->there = (uint64_t)status.st_size < head.size ? (uint64_t)status.st_size : head.size;
    void *pages = mmap(NULL, image->size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED)
        return "there is no memory for it";
    image->pages = pages;
    if (!read_data(fd, pages, image->there))
        return "it cannot be read";
    image->head = (const struct gptl_ioc_salvage *)image->pages;
    uint64_t slots = head.slots.size / sizeof(struct gptl_ioc_slot);
    uint64_t chunks = head.ring.size / (GPTL_IOC_CHUNK_RECORDS * sizeof(struct gptl_ioc_record));
    image->ring.nslots = (uint32_t)(chunks < slots ? chunks : slots);
    image->ring.slots = (struct gptl_ioc_slot *)(image->pages + head.slots.at);
    image->ring.records = (struct gptl_ioc_record *)(image->pages + head.ring.at);
    image->base = (const struct gptl_ioc_open *)(image->pages + head.base.at);
    for (uint32_t i = 0; i < image->ring.nslots; i++) {
        struct gptl_ioc_slot *slot = &image->ring.slots[i];
        unsigned char *dirty = (unsigned char *)&slot->dirty;
        *dirty = *dirty != 0; /* damage may have stored an invalid bool */
        if (slot->written > GPTL_IOC_CHUNK_RECORDS)
            slot->written = GPTL_IOC_CHUNK_RECORDS;
    }
    return NULL;
}

void image_close(struct image *image)
{
    if (image->pages)
        munmap(image->pages, image->size);
    image->pages = NULL;
}

/* ---- Blocks -------------------------------------------------------------------------------- */

static void put_note(struct gptl_ioc_text *text, const char *note)
{
    gptl_ioc_text_pair(text, "note", note, strlen(note));
}

static void put_process(const struct image *image, struct gptl_ioc_text *text)
{
    const struct gptl_ioc_salvage *head = image->head;
    gptl_ioc_text_begin(text, GPTL_IOC_PROCESS);
    gptl_ioc_text_put(text, image->pages + head->texts.at, head->process_size);
    if (image->there < image->size) {
        char note[200];
        snprintf(note, sizeof note,
                 "a salvage file was cut off after %llu of %llu bytes: calls "
                 "are missing",
                 (unsigned long long)image->there, (unsigned long long)image->size);
        put_note(text, note);
    }
    if (head->is_short)
        put_note(text, "a salvage file had no more room: calls are missing");
    gptl_ioc_text_end(text);
}

/* Write the names of ALL whose number is used. */
static void put_calls(struct gptl_ioc_text *text, const char *all, uint64_t size,
                      const unsigned char *used)
{
    struct gptl_ioc_name name;
    gptl_ioc_text_begin(text, GPTL_IOC_CALLS);
    for (uint64_t at = 0; size - at >= sizeof name;) {
        memcpy(&name, all + at, sizeof name);
        uint64_t whole = sizeof name + ((uint64_t)name.size + 7) / 8 * 8;
        if (whole > size - at)
            break;
        if (name.number < 65536 && (used[name.number / 8] >> name.number % 8 & 1))
            gptl_ioc_text_put(text, all + at, whole);
        at += whole;
    }
    gptl_ioc_text_end(text);
}

/* Return whether an entry contains exactly one name of the stated size. */
static bool is_entry(const struct gptl_ioc_entry *entry, const char *content)
{
    struct gptl_ioc_file file;
    struct gptl_ioc_name name;
    if (entry->mark == GPTL_IOC_ENTRY_FILE && entry->size >= sizeof file) {
        memcpy(&file, content, sizeof file);
        return file.number && entry->size - sizeof file == ((uint64_t)file.name_size + 7) / 8 * 8;
    }
    if (entry->mark == GPTL_IOC_ENTRY_PATH && entry->size >= sizeof name) {
        memcpy(&name, content, sizeof name);
        return name.number && entry->size - sizeof name == ((uint64_t)name.size + 7) / 8 * 8;
    }
    return false;
}

/*
 * Write the names. A thread killed before it completed its entry leaves a hole, which is skipped.
 */
static void put_names(const struct image *image, struct gptl_ioc_text *text,
                      enum gptl_ioc_block_type type, enum gptl_ioc_entry_mark mark)
{
    const struct gptl_ioc_salvage *head = image->head;
    const char *names = image->pages + head->names.at;
    uint64_t end = head->names_used < head->names.size ? head->names_used : head->names.size;
    struct gptl_ioc_entry entry;
    gptl_ioc_text_begin(text, type);
    for (uint64_t at = 0; end - at >= sizeof entry;) {
        memcpy(&entry, names + at, sizeof entry);
        uint64_t content = at + sizeof entry;
        if (entry.size > end - content || !is_entry(&entry, names + content)) {
            at += 8;
            continue;
        }
        if (entry.mark == mark)
            gptl_ioc_text_put(text, names + content, entry.size);
        at = content + (entry.size + 7) / 8 * 8;
        if (at > end)
            break;
    }
    gptl_ioc_text_end(text);
}

static void put_descriptors(const struct image *image, struct gptl_ioc_text *text)
{
    const struct gptl_ioc_salvage *head = image->head;
    uint64_t most = head->base.size / sizeof *image->base, n = 0;
    if (head->base_end > 0)
        n = (uint64_t)head->base_end < most ? (uint64_t)head->base_end : most;
    gptl_ioc_text_begin(text, GPTL_IOC_DESCRIPTORS);
    for (uint64_t fd = 0; fd < n; fd++) {
        const struct gptl_ioc_open *o = &image->base[fd];
        struct gptl_ioc_descriptor d = {(int32_t)fd, o->file, o->offset, o->flags, 0};
        /* The offset was being updated, so it may already include some of the remaining records. */
        if (*(const unsigned char *)&head->base_changing)
            d.offset = -1;
        if (d.file)
            gptl_ioc_text_put(text, &d, sizeof d);
    }
    gptl_ioc_text_end(text);
}

void image_put_blocks(const struct image *image, struct gptl_ioc_text *text,
                      const unsigned char *used)
{
    const struct gptl_ioc_salvage *head = image->head;
    const char *texts = image->pages + head->texts.at + head->process_size;
    put_process(image, text);
    put_calls(text, texts, head->calls_size, used);
    put_names(image, text, GPTL_IOC_FILES, GPTL_IOC_ENTRY_FILE);
    put_descriptors(image, text);
    gptl_ioc_text_begin(text, GPTL_IOC_UNSEEN);
    gptl_ioc_text_put(text, texts + head->calls_size, head->unseen_size);
    gptl_ioc_text_end(text);
    put_names(image, text, GPTL_IOC_PATHS, GPTL_IOC_ENTRY_PATH);
}
