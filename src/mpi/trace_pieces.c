/*
 * trace_pieces.c - sizes of the contiguous pieces of message data. They are an attribute of the
 * datatype, so each type is analyzed once, the result is deleted with it, and a handle reused by
 * MPI counts as a new type.
 */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>

#include "mpi/trace_stream.h"

enum { UNKNOWN = -1 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int keyval = MPI_KEYVAL_INVALID;

static int copied(MPI_Datatype type, int key, void *extra, void *from, void *to, int *wanted)
{
    (void)type, (void)key, (void)extra, (void)from, (void)to;
    *wanted = 0;
    return MPI_SUCCESS;
}

static int deleted(MPI_Datatype type, int key, void *value, void *extra)
{
    (void)type, (void)key, (void)extra;
    free(value);
    return MPI_SUCCESS;
}

/* ---- Construction of a type ------------------------------------------------------------------ */

/* Arguments of the type's constructor. */
struct made {
    int combiner, nnumbers, ntypes;
    int *numbers;
    MPI_Aint *places;
    MPI_Datatype *types;
};

/*
 * Query the numbers of arguments. False if they are unavailable, because the type uses counts
 * beyond int.
 */
static bool ask_envelope(MPI_Datatype type, struct made *made, int *nplaces)
{
#if MPI_VERSION >= 4
    MPI_Count numbers = 0, places = 0, large = 0, types = 0;
    if (gptl_mpi_next.MPI_Type_get_envelope_c(type, &numbers, &places, &large, &types,
                                              &made->combiner) != MPI_SUCCESS ||
        large > 0)
        return false;
#endif
    return gptl_mpi_next.MPI_Type_get_envelope(type, &made->nnumbers, nplaces, &made->ntypes,
                                               &made->combiner) == MPI_SUCCESS;
}

/* Return whether the type is derived; predefined types must not be freed, and lack contents. */
static bool is_derived(int combiner)
{
    return combiner != MPI_COMBINER_NAMED && combiner != MPI_COMBINER_F90_REAL &&
           combiner != MPI_COMBINER_F90_COMPLEX && combiner != MPI_COMBINER_F90_INTEGER;
}

static void forget(struct made *made)
{
    struct made inner;
    int nplaces;
    for (int i = 0; i < made->ntypes; i++)
        if (ask_envelope(made->types[i], &inner, &nplaces) && is_derived(inner.combiner))
            gptl_mpi_next.MPI_Type_free(&made->types[i]);
    free(made->numbers);
    free(made->places);
    free(made->types);
}

static bool look_into(MPI_Datatype type, struct made *made)
{
    int nplaces = 0;
    *made = (struct made){0};
    if (!ask_envelope(type, made, &nplaces) || !is_derived(made->combiner)) {
        made->ntypes = 0;
        return false;
    }
    made->numbers = calloc((size_t)made->nnumbers + 1, sizeof *made->numbers);
    made->places = calloc((size_t)nplaces + 1, sizeof *made->places);
    made->types = calloc((size_t)made->ntypes + 1, sizeof *made->types);
    if (made->numbers && made->places && made->types &&
        gptl_mpi_next.MPI_Type_get_contents(type, made->nnumbers, nplaces, made->ntypes,
                                            made->numbers, made->places,
                                            made->types) == MPI_SUCCESS)
        return true;
    made->ntypes = 0;
    return false;
}

/* ---- Pieces ---------------------------------------------------------------------------------- */

static int64_t pieces_of(MPI_Datatype type);

/* Return whether one element is contiguous from its first to its last byte. */
static bool is_whole(MPI_Datatype type)
{
    MPI_Aint first = 0, length = 0;
    return gptl_mpi_next.MPI_Type_get_true_extent(type, &first, &length) == MPI_SUCCESS &&
           length == gptl_mpi_type_size(type);
}

/* Return whether consecutive elements are contiguous too. */
static bool adjoins(MPI_Datatype type)
{
    MPI_Aint first = 0, length = 0;
    return is_whole(type) &&
           gptl_mpi_next.MPI_Type_get_extent(type, &first, &length) == MPI_SUCCESS &&
           length == gptl_mpi_type_size(type);
}

/* Return the pieces of COUNT consecutive elements. */
static int64_t row_of(int64_t count, MPI_Datatype type)
{
    if (adjoins(type))
        return count > 0;
    int64_t each = pieces_of(type);
    return each == UNKNOWN ? UNKNOWN : count * each;
}

/*
 * Return the pieces of N BLOCKS of different lengths, all with the first of TYPES, or each with its
 * OWN type.
 */
static int64_t blocks_of(int n, const int *blocks, const MPI_Datatype *types, bool own)
{
    int64_t sum = 0, one = 0;
    for (int i = 0; i < n && one != UNKNOWN; i++) {
        one = row_of(blocks[i], types[own ? i : 0]);
        sum += one;
    }
    return one == UNKNOWN ? UNKNOWN : sum;
}

/*
 * Return the pieces of a subarray: it is contiguous along the fastest dimensions up to the first
 * partial one.
 */
static int64_t subarray_of(const int *numbers, MPI_Datatype type)
{
    int n = numbers[0];
    const int *sizes = numbers + 1, *parts = sizes + n;
    bool c = numbers[3 * n + 1] == MPI_ORDER_C, together = true;
    int64_t row = 1, rows = 1;
    for (int i = 0; i < n; i++) {
        int d = c ? n - 1 - i : i;
        *(together ? &row : &rows) *= parts[d];
        together = together && parts[d] == sizes[d];
    }
    int64_t each = row_of(row, type);
    return each == UNKNOWN ? UNKNOWN : rows * each;
}

static int64_t pieces_of_made(const struct made *made)
{
    const int *numbers = made->numbers;
    int64_t each;
    switch (made->combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
        return pieces_of(made->types[0]);
    case MPI_COMBINER_CONTIGUOUS:
        return row_of(numbers[0], made->types[0]);
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
        each = row_of(numbers[1], made->types[0]);
        return each == UNKNOWN ? UNKNOWN : numbers[0] * each;
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
        return blocks_of(numbers[0], numbers + 1, made->types, false);
    case MPI_COMBINER_STRUCT:
        return blocks_of(numbers[0], numbers + 1, made->types, true);
    case MPI_COMBINER_SUBARRAY:
        return subarray_of(numbers, made->types[0]);
    default:
        return UNKNOWN;
    }
}

/* Return the pieces of one element. Blocks that happen to be adjacent count separately. */
static int64_t pieces_of(MPI_Datatype type)
{
    struct made made;
    if (is_whole(type))
        return 1;
    int64_t n = look_into(type, &made) ? pieces_of_made(&made) : UNKNOWN;
    forget(&made);
    return n;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static int64_t rows_of(MPI_Datatype type);

/*
 * Return the parts of COUNT consecutive elements: the elements, or for a single element its parts.
 */
static int64_t parts_of(int64_t count, MPI_Datatype type)
{
    return count == 1 ? rows_of(type) : count;
}

/* Return the rows of a subarray along the slowest dimension with more than one. */
static int64_t rows_of_subarray(const int *numbers, MPI_Datatype type)
{
    int n = numbers[0];
    const int *parts = numbers + 1 + n;
    bool c = numbers[3 * n + 1] == MPI_ORDER_C;
    int64_t count = 1;
    for (int i = 0; i < n && count == 1; i++)
        count = parts[c ? i : n - 1 - i];
    return parts_of(count, type);
}

/* Return the number of parts in the construction of one element; each may consist of pieces. */
static int64_t rows_of(MPI_Datatype type)
{
    struct made made;
    int64_t n = 1;
    if (is_whole(type) || !look_into(type, &made))
        return n;
    const int *numbers = made.numbers;
    switch (made.combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
        n = rows_of(made.types[0]);
        break;
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
        n = numbers[0] == 1 ? parts_of(numbers[1], made.types[0]) : numbers[0];
        break;
    case MPI_COMBINER_SUBARRAY:
        n = rows_of_subarray(numbers, made.types[0]);
        break;
    default: /* contiguous types, lists of blocks and structures */
        n = numbers[0] == 1 ? rows_of(made.types[0]) : numbers[0];
        break;
    }
    forget(&made);
    return n > 0 ? n : 1;
}

/* ---- Lists of blocks ------------------------------------------------------------------------- */

/* Number of blocks that MPI must look up individually, and whether their lengths differ. */
struct lists {
    int64_t blocks;
    bool uneven;
};

static struct lists lists_of(MPI_Datatype type);

static void add_lists(struct lists *sum, int64_t count, MPI_Datatype type)
{
    struct lists each = lists_of(type);
    sum->blocks += count * each.blocks;
    sum->uneven = sum->uneven || (count > 0 && each.uneven);
}

/* Return the number of elements of block I. */
static int length_of(const struct made *made, int i)
{
    bool same = made->combiner == MPI_COMBINER_INDEXED_BLOCK ||
                made->combiner == MPI_COMBINER_HINDEXED_BLOCK;
    return made->numbers[same ? 1 : 1 + i];
}

/* Return the displacement of block I, in bytes or in elements. */
static MPI_Aint place_of(const struct made *made, int i)
{
    if (made->combiner == MPI_COMBINER_INDEXED_BLOCK)
        return made->numbers[2 + i];
    if (made->combiner == MPI_COMBINER_INDEXED)
        return made->numbers[1 + made->numbers[0] + i];
    return made->places[i];
}

/*
 * Return the lists of a type of blocks. Blocks of equal length and distance are not a list: MPI
 * implementations convert them to a vector.
 */
static struct lists list_of_blocks(const struct made *made)
{
    int n = made->numbers[0];
    bool own = made->combiner == MPI_COMBINER_STRUCT, listed = false;
    struct lists lists = {0};
    int64_t elements = 0;
    for (int i = 0; i < n; i++) {
        MPI_Datatype type = made->types[own ? i : 0];
        int64_t bytes = length_of(made, i) * (int64_t)gptl_mpi_type_size(type);
        if (bytes != length_of(made, 0) * (int64_t)gptl_mpi_type_size(made->types[0]))
            lists.uneven = true;
        elements += length_of(made, i);
        if (i > 1 &&
            place_of(made, i) - place_of(made, i - 1) != place_of(made, 1) - place_of(made, 0))
            listed = true;
    }
    lists.blocks = listed || lists.uneven ? n : 0;
    if (!own)
        add_lists(&lists, elements, made->types[0]);
    for (int i = 0; own && i < n; i++)
        add_lists(&lists, length_of(made, i), made->types[i]);
    return lists;
}

static struct lists lists_of_made(const struct made *made)
{
    const int *numbers = made->numbers;
    struct lists lists = {0};
    int64_t count = 1;
    switch (made->combiner) {
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
    case MPI_COMBINER_STRUCT:
        return list_of_blocks(made);
    case MPI_COMBINER_CONTIGUOUS:
        count = numbers[0];
        break;
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
        count = (int64_t)numbers[0] * numbers[1];
        break;
    case MPI_COMBINER_SUBARRAY:
        for (int i = 0; i < numbers[0]; i++)
            count *= numbers[1 + numbers[0] + i];
        break;
    default: /* duplicates and resized types */
        break;
    }
    add_lists(&lists, count, made->types[0]);
    return lists;
}

/* Return the lists of one element. */
static struct lists lists_of(MPI_Datatype type)
{
    struct made made;
    struct lists lists = {0};
    if (is_whole(type))
        return lists;
    if (look_into(type, &made))
        lists = lists_of_made(&made);
    forget(&made);
    return lists;
}

/* ---- Attribute ------------------------------------------------------------------------------- */

/* Bytes of one element, and of its pieces; no pieces: contiguous or unknown. */
struct kept {
    uint64_t size;
    struct gptl_mpi_trace_pieces pieces;
};

static struct kept look_at(MPI_Datatype type)
{
    struct kept kept = {.size = (uint64_t)gptl_mpi_type_size(type)};
    int64_t n = adjoins(type) ? 0 : pieces_of(type);
    if (n <= 0 || kept.size == 0)
        return kept;
    uint64_t piece = kept.size / (uint64_t)n, row = kept.size / (uint64_t)rows_of(type);
    kept.pieces.piece = piece > 0 ? piece : 1;
    kept.pieces.row = row > kept.pieces.piece ? row : kept.pieces.piece;
    struct lists lists = lists_of(type);
    if (lists.blocks > 0) {
        int64_t block = (int64_t)kept.size / lists.blocks;
        kept.pieces.list = (block > 0 ? block : 1) * (lists.uneven ? -1 : 1);
    }
    return kept;
}

static struct kept kept_of(MPI_Datatype type)
{
    void *value = NULL;
    int found = 0;
    pthread_mutex_lock(&mutex);
    if (keyval == MPI_KEYVAL_INVALID)
        gptl_mpi_next.MPI_Type_create_keyval(copied, deleted, &keyval, NULL);
    pthread_mutex_unlock(&mutex);
    if (gptl_mpi_next.MPI_Type_get_attr(type, keyval, &value, &found) == MPI_SUCCESS && found)
        return *(struct kept *)value;
    struct kept kept = look_at(type), *copy = malloc(sizeof *copy);
    if (copy) {
        *copy = kept;
        if (gptl_mpi_next.MPI_Type_set_attr(type, keyval, copy) != MPI_SUCCESS)
            free(copy);
    }
    return kept;
}

struct gptl_mpi_trace_pieces gptl_mpi_trace_pieces(MPI_Count count, MPI_Datatype type)
{
    static const struct gptl_mpi_trace_pieces none;
    if (count <= 0 || gptl_mpi_is_sized(type))
        return none;
    struct kept kept = kept_of(type);
    if (count == 1)
        return kept.pieces.piece < kept.size ? kept.pieces : none;
    if (kept.pieces.piece > 0)
        kept.pieces.row = kept.size;
    return kept.pieces;
}

void gptl_mpi_trace_put_pieces(struct gptl_mpi_trace_call *call,
                               struct gptl_mpi_trace_pieces pieces)
{
    gptl_mpi_trace_number(call, pieces.piece);
    gptl_mpi_trace_number(call, pieces.row);
    gptl_mpi_trace_signed(call, pieces.list);
}
