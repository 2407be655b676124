/*
 * mpi_bytes.h - shared interface of the parts of mpi_bytes: each case is a region around calls that
 * move bytes, and a line with their number in expected.RANK.
 */
#ifndef MPI_BYTES_H
#define MPI_BYTES_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gptl.h>

extern int rank, size;
extern FILE *expected;

#define OK(call)                                                                                   \
    do {                                                                                           \
        int rc_ = (call);                                                                          \
        if (rc_ != MPI_SUCCESS) {                                                                  \
            fprintf(stderr, "%s:%d: %s gives %d\n", __FILE__, __LINE__, #call, rc_);               \
            exit(9);                                                                               \
        }                                                                                          \
    } while (0)

static inline void expect(const char *path, long long sent, long long received)
{
    fprintf(expected, "%s %lld %lld\n", path, sent, received);
}

/* One call, in a separate region. */
#define CASE(name, sent, received, call)                                                           \
    do {                                                                                           \
        GPTLstart(name);                                                                           \
        OK(call);                                                                                  \
        GPTLstop(name);                                                                            \
        expect(name, (sent), (received));                                                          \
    } while (0)

void messages(void);
void requests(void);
void persistent(void);
void windows(void);
void collectives(void);
void across(void);
void neighbors(void);
void files(void);
void large(void);

#endif
