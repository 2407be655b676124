/* profile_reader.h - between the files that read a profile from JSON. */
#ifndef GPTL_POSTPROC_PROFILE_READER_H
#define GPTL_POSTPROC_PROFILE_READER_H

#include "postproc/read/json_read.h"
#include "postproc/read/name_pool.h"

struct reader {
    struct json *json;
    struct gptl_profile *profile;
    struct name_pool names;
    uint32_t keep;
    int room; /* of the profile's copies */
    bool has_format, has_version, has_threads;
    bool known_buckets; /* histograms are divided as they are here */
    uint32_t nvalues;   /* of each node: as many metrics as are not refused */
    struct gptl_metric *refused;
    uint32_t nrefused;
};

/*
 * Which of the N MEMBERS that KEY is; N: none of them. *NEXT, 0 at first, is tried first: members come
 * in the same order every time.
 */
int reader_member(const char *key, const char *const *members, int n, int *next);

/* Tells that there is no memory. */
void reader_no_memory(struct reader *reader);

/* The name that comes next, with its own bytes, in memory of the profile; "" after a mistake. */
char *reader_text(struct reader *reader);
/* The same, or NULL if it is null. */
char *reader_text_or_null(struct reader *reader);

/* Room for one more of N elements of SIZE bytes, which are in memory of the profile. */
void *reader_one_more(struct reader *reader, void *elements, uint32_t n, size_t size);

/* What nodes have counted, and what was refused; in the end, both as the profile has them. */
void reader_metrics(struct reader *reader);
void reader_refused(struct reader *reader);
void reader_metrics_end(struct reader *reader);

/* The same of a ledger, if KEY is one's; in the end, all rows are sorted. */
bool reader_ledger(struct reader *reader, const char *key);
void reader_ledgers_end(struct reader *reader);

/* Fills in what is not known. */
void reader_head_begin(struct gptl_profile *profile);
/*
 * Reads the value of a member of the document if it is one of those before the threads. False:
 * it is not, and nothing was read.
 */
bool reader_head(struct reader *reader, const char *key);
/* Tells what is missing or wrong about all of them. */
void reader_head_end(struct reader *reader);

/* Reads one thread into a new copy. */
void reader_thread(struct reader *reader);

#endif
