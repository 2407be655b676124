/* profile_reader.h - interface between the files that read a profile from JSON. */
#ifndef GPTL_POSTPROC_PROFILE_READER_H
#define GPTL_POSTPROC_PROFILE_READER_H

#include "postproc/read/json_read.h"
#include "postproc/read/name_pool.h"

struct reader {
    struct json *json;
    struct gptl_profile *profile;
    struct name_pool names;
    uint32_t keep;
    int room; /* capacity of the profile's copies */
    bool has_format, has_version, has_threads;
    bool known_buckets; /* histograms use the same buckets as this version */
    uint32_t nvalues;   /* per node: the number of metrics that were not refused */
    struct gptl_metric *refused;
    uint32_t nrefused;
};

/*
 * Return the index of KEY in the N MEMBERS, or N. *NEXT, initially 0, is tried first because
 * members usually have the same order.
 */
int reader_member(const char *key, const char *const *members, int n, int *next);

/* Report that memory is exhausted. */
void reader_no_memory(struct reader *reader);

/* Read a name and decode its bytes into memory of the profile; "" after an error. */
char *reader_text(struct reader *reader);
/* Read a name, or NULL for null. */
char *reader_text_or_null(struct reader *reader);

/*
 * Return ELEMENTS with space for one more than N elements of SIZE bytes, in memory of the profile.
 */
void *reader_one_more(struct reader *reader, void *elements, uint32_t n, size_t size);

/* Read the counted and the refused metrics; at the end, store both in the profile. */
void reader_metrics(struct reader *reader);
void reader_refused(struct reader *reader);
void reader_metrics_end(struct reader *reader);

/* Read a ledger if KEY names one; at the end, sort all rows. */
bool reader_ledger(struct reader *reader, const char *key);
void reader_ledgers_end(struct reader *reader);

/* Set defaults for missing values. */
void reader_head_begin(struct gptl_profile *profile);
/*
 * Read a member of the document that precedes the threads. Returns false, without reading, for
 * other members.
 */
bool reader_head(struct reader *reader, const char *key);
/* Check the members read. */
void reader_head_end(struct reader *reader);

/* Read one thread into a new copy. */
void reader_thread(struct reader *reader);

#endif
