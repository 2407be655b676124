/*
 * twophase.c - collective accesses. Each process has a part of the file, its domain, cut at strips.
 * Writers send their data to the processes that own the domains, which write it in one request per
 * run of contiguous data; reads take the reverse direction.
 */
#include "adio.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Between all processes of a file. */
struct exchange {
    struct ad_access *access;
    int n, rank;
    int64_t begin, domain;   /* start of the first domain, and the size of each */
    struct ad_piece *own;    /* this process's pieces, cut at domains */
    struct ad_piece *others; /* the pieces that others want from this process's domain */
    int nown, nothers;
    int *own_pieces, *own_bytes, *other_pieces, *other_bytes; /* of each process */
    char *data;                                               /* of the others */
    int64_t total;
};

/* ---- Whether it is worth it ----------------------------------------------------------------- */

/* Each process's first byte and the one after its last; both -1 if it has none. */
static bool interleave(const int64_t *ranges, int n)
{
    int64_t end = -1;
    for (int i = 0; i < n; i++) {
        if (ranges[2 * i] < 0)
            continue;
        if (ranges[2 * i] < end)
            return true;
        end = ranges[2 * i + 1];
    }
    return false;
}

static bool agree(struct exchange *x, bool is_write)
{
    struct ad_access *access = x->access;
    int64_t own[2] = {-1, -1}, *all, end = -1;
    if (access->npieces > 0) {
        const struct ad_piece *last = &access->pieces[access->npieces - 1];
        own[0] = access->pieces[0].offset;
        own[1] = last->offset + last->bytes;
    }
    all = calloc((size_t)x->n, sizeof own);
    PMPI_Allgather(own, 2, MPI_INT64_T, all, 2, MPI_INT64_T, access->file->comm);
    int wish = access->file->together[is_write];
    bool result = wish >= 0 ? wish : interleave(all, x->n);
    x->begin = -1;
    for (int i = 0; i < x->n; i++) {
        if (all[2 * i] < 0)
            continue;
        x->begin = x->begin < 0 || all[2 * i] < x->begin ? all[2 * i] : x->begin;
        end = all[2 * i + 1] > end ? all[2 * i + 1] : end;
    }
    free(all);
    if (x->begin < 0)
        return false;
    x->begin -= x->begin % STRIP;
    int64_t strips = (end - x->begin + STRIP - 1) / STRIP;
    x->domain = (strips + x->n - 1) / x->n * STRIP;
    return result;
}

/* ---- The exchange --------------------------------------------------------------------------- */

static void cut_pieces(struct exchange *x)
{
    const struct ad_access *access = x->access;
    x->own = calloc(access->npieces + (size_t)x->n, sizeof *x->own);
    for (size_t i = 0; i < access->npieces; i++)
        for (struct ad_piece rest = access->pieces[i]; rest.bytes > 0;) {
            int to = (int)((rest.offset - x->begin) / x->domain);
            int64_t left = x->begin + (to + 1) * x->domain - rest.offset;
            int64_t n = left < rest.bytes ? left : rest.bytes;
            x->own[x->nown++] = (struct ad_piece){rest.offset, n};
            x->own_pieces[to]++;
            x->own_bytes[to] += (int)n;
            rest.offset += n;
            rest.bytes -= n;
        }
}

/* Start of each process's part; return the total. */
static int starts(const int *counts, int scale, int *sizes, int *at, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sizes[i] = counts[i] * scale;
        at[i] = sum;
        sum += sizes[i];
    }
    return sum;
}

/* Tell every process which data of its domain is wanted. */
static void exchange_pieces(struct exchange *x)
{
    int scale = (int)sizeof(struct ad_piece), *sizes = calloc((size_t)x->n * 4, sizeof *sizes);
    int *at = sizes + x->n, *other_sizes = at + x->n, *other_at = other_sizes + x->n;
    MPI_Comm comm = x->access->file->comm;
    PMPI_Alltoall(x->own_pieces, 1, MPI_INT, x->other_pieces, 1, MPI_INT, comm);
    PMPI_Alltoall(x->own_bytes, 1, MPI_INT, x->other_bytes, 1, MPI_INT, comm);
    starts(x->own_pieces, scale, sizes, at, x->n);
    x->nothers = starts(x->other_pieces, scale, other_sizes, other_at, x->n) / scale;
    x->others = calloc((size_t)x->nothers + 1, sizeof *x->others);
    PMPI_Alltoallv(x->own, sizes, at, MPI_BYTE, x->others, other_sizes, other_at, MPI_BYTE, comm);
    for (int i = 0; i < x->nothers; i++)
        x->total += x->others[i].bytes;
    x->data = malloc((size_t)x->total + 1);
    free(sizes);
}

static void exchange_data(struct exchange *x, bool is_write)
{
    int *sizes = calloc((size_t)x->n * 4, sizeof *sizes);
    int *at = sizes + x->n, *other_sizes = at + x->n, *other_at = other_sizes + x->n;
    MPI_Comm comm = x->access->file->comm;
    char *own = x->access->data;
    starts(x->own_bytes, 1, sizes, at, x->n);
    starts(x->other_bytes, 1, other_sizes, other_at, x->n);
    if (is_write)
        PMPI_Alltoallv(own, sizes, at, MPI_BYTE, x->data, other_sizes, other_at, MPI_BYTE, comm);
    else
        PMPI_Alltoallv(x->data, other_sizes, other_at, MPI_BYTE, own, sizes, at, MPI_BYTE, comm);
    free(sizes);
}

/* ---- The domain ------------------------------------------------------------------------------ */

static int compare_pieces(const void *p, const void *q)
{
    const struct ad_piece *a = p, *b = q;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Merge contiguous pieces. Return the number of runs. */
static int make_runs(struct ad_piece *runs, int n)
{
    int kept = 0;
    qsort(runs, (size_t)n, sizeof *runs, compare_pieces);
    for (int i = 0; i < n; i++) {
        struct ad_piece *last = kept > 0 ? &runs[kept - 1] : NULL;
        int64_t end = runs[i].offset + runs[i].bytes;
        if (last && runs[i].offset <= last->offset + last->bytes)
            last->bytes = end - last->offset > last->bytes ? end - last->offset : last->bytes;
        else
            runs[kept++] = runs[i];
    }
    return kept;
}

/*
 * Copy between the block of the domain, which begins at byte BEGIN of the file, and the data of
 * others.
 */
static void copy_others(const struct exchange *x, char *block, int64_t begin, bool is_write)
{
    char *data = x->data;
    for (int i = 0; i < x->nothers; data += x->others[i++].bytes) {
        char *in_block = block + (x->others[i].offset - begin);
        memcpy(is_write ? in_block : data, is_write ? data : in_block, (size_t)x->others[i].bytes);
    }
}

static int64_t access_runs(struct exchange *x, bool is_write)
{
    if (x->nothers == 0)
        return 0;
    struct ad_piece *runs = calloc((size_t)x->nothers, sizeof *runs);
    memcpy(runs, x->others, (size_t)x->nothers * sizeof *runs);
    int nruns = make_runs(runs, x->nothers);
    int64_t begin = runs[0].offset, error = 0;
    char *block = calloc(1, (size_t)(runs[nruns - 1].offset + runs[nruns - 1].bytes - begin));
    if (is_write)
        copy_others(x, block, begin, true);
    for (int i = 0; i < nruns && error == 0; i++) {
        char *data = block + (runs[i].offset - begin);
        int64_t n = is_write ? ad_striped_write_contig(x->access->file, data, &runs[i])
                             : ad_striped_read_contig(x->access->file, data, &runs[i]);
        error = n < 0 ? n : 0;
    }
    if (!is_write)
        copy_others(x, block, begin, false);
    free(block);
    free(runs);
    return error;
}

/* ---- All ------------------------------------------------------------------------------------- */

/* All processes learn of an error in any of them. */
static int two_phases(struct exchange *x, bool is_write, int64_t *done)
{
    int *counts = calloc((size_t)x->n * 4, sizeof *counts);
    x->own_pieces = counts;
    x->own_bytes = counts + x->n;
    x->other_pieces = counts + 2 * x->n;
    x->other_bytes = counts + 3 * x->n;
    cut_pieces(x);
    exchange_pieces(x);
    if (is_write)
        exchange_data(x, true);
    int64_t error = access_runs(x, is_write);
    if (!is_write)
        exchange_data(x, false);
    PMPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_INT64_T, MPI_MIN, x->access->file->comm);
    *done = error == 0 ? x->access->bytes : 0;
    free(x->own);
    free(x->others);
    free(x->data);
    free(counts);
    return error == 0 ? MPI_SUCCESS : ad_error(error);
}

int ad_striped_read_coll(struct ad_access *access, int64_t *done)
{
    struct exchange x = {.access = access};
    PMPI_Comm_size(access->file->comm, &x.n);
    return agree(&x, false) ? two_phases(&x, false, done) : ad_striped_read_strided(access, done);
}

int ad_striped_write_coll(struct ad_access *access, int64_t *done)
{
    struct exchange x = {.access = access};
    PMPI_Comm_size(access->file->comm, &x.n);
    return agree(&x, true) ? two_phases(&x, true, done) : ad_striped_write_strided(access, done);
}
