/*
 * pnetcdf.c - the layer of PnetCDF: attributes of its calls. Fortran functions call these too.
 *
 * A posted request has not moved data yet: its bytes count in the call that waits for it.
 */
#include "config.h"

#include <limits.h>
#include <stddef.h>

#include "iostack/layers/calls.h"
#include "iostack/layers/files.h"
#include "iostack/layers/kept.h"

#pragma weak GPTLprobe_has_name
#pragma weak GPTLprobe_name
#pragma weak GPTLprobe_opening

enum { MOST_DIMENSIONS = 1024 };
enum { OUT_OF_RANGE = -60 }; /* a value was not convertible; the rest was done */
enum { ALL_REQUESTS = -1, ALL_READS = -2, ALL_WRITES = -3 };

static struct gptl_layers_function inq_varndims = {.name = "ncmpi_inq_varndims"},
                                   inq_vardimid = {.name = "ncmpi_inq_vardimid"},
                                   inq_dimlen = {.name = "ncmpi_inq_dimlen"},
                                   inq_vartype = {.name = "ncmpi_inq_vartype"},
                                   inq_path = {.name = "ncmpi_inq_path"},
                                   type_size = {.name = "PMPI_Type_size"},
                                   null_type = {.name = "ompi_mpi_datatype_null", .is_datum = true};

/* Query an attribute; return whether it succeeded. */
static bool ask(const struct gptl_layers_call *call, struct gptl_layers_function *function,
                gptl_word a, gptl_word b, void *result)
{
    return (int)gptl_layers_ask(function, call->caller, a, b, gptl_layers_pointer(result)) == 0;
}

/*
 * Return the id of a file. A process may contain several PnetCDF libraries with separate ids; the
 * address of a function distinguishes them.
 */
static uint64_t file_of(const struct gptl_layers_call *call, gptl_word ncid)
{
    uint64_t whose = gptl_layers_pointer(gptl_layers_next(&inq_path, call->caller));
    return whose << 16 ^ (uint32_t)ncid;
}

/* ---- Elements -------------------------------------------------------------------------------- */

enum shape { VAR, VAR1, VARA, VARS, VARM, VARN, VARD };

/* Number of arguments between the variable and the buffer. */
static const int between[] = {
    [VAR] = 0, [VAR1] = 1, [VARA] = 2, [VARS] = 3, [VARM] = 4, [VARN] = 3, [VARD] = 1};

static const int64_t *counts_at(gptl_word word)
{
    return (const int64_t *)(uintptr_t)word;
}

/* Return the product; one element without COUNTS. */
static int64_t product(const int64_t *counts, int n)
{
    int64_t product = 1;
    for (int i = 0; counts && i < n; i++)
        if (counts[i] < 0 || __builtin_mul_overflow(product, counts[i], &product))
            return -1;
    return product;
}

static int64_t whole_variable(const struct gptl_layers_call *call, gptl_word file,
                              gptl_word variable, int ndims)
{
    int dimensions[MOST_DIMENSIONS];
    int64_t lengths[MOST_DIMENSIONS];
    if (!ask(call, &inq_vardimid, file, variable, dimensions))
        return -1;
    for (int i = 0; i < ndims; i++)
        if (!ask(call, &inq_dimlen, file, (gptl_word)dimensions[i], &lengths[i]))
            return -1;
    return product(lengths, ndims);
}

static int64_t several_pieces(gptl_word npieces, gptl_word counts, int ndims)
{
    const int64_t *const *all = (const int64_t *const *)(uintptr_t)counts;
    int64_t sum = 0;
    for (int i = 0; i < (int)npieces; i++) {
        int64_t n = all ? product(all[i], ndims) : 1;
        if (n < 0 || __builtin_add_overflow(sum, n, &sum))
            return -1;
    }
    return sum;
}

/* Return the number of elements; W points to the arguments after the variable. */
static int64_t elements(const struct gptl_layers_call *call, gptl_word file, gptl_word variable,
                        const gptl_word *w)
{
    int ndims = 0;
    if (!ask(call, &inq_varndims, file, variable, &ndims) || ndims < 0 || ndims > MOST_DIMENSIONS)
        return -1;
    switch ((enum shape)call->row->shape) {
    case VAR:
        return whole_variable(call, file, variable, ndims);
    case VAR1:
        return 1;
    case VARA:
    case VARS:
    case VARM:
        return product(counts_at(w[1]), ndims);
    case VARN:
        return several_pieces(w[0], w[2], ndims);
    case VARD:
        break;
    }
    return -1;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

static int64_t size_of_variable(const struct gptl_layers_call *call, gptl_word file,
                                gptl_word variable)
{
    /*
     * In netCDF's order: byte, char, short, int, float, double, ubyte, ushort, uint, int64, uint64.
     */
    static const int8_t sizes[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
    int type = 0;
    if (!ask(call, &inq_vartype, file, variable, &type) || type <= 0 || type >= (int)sizeof sizes)
        return -1;
    return sizes[type];
}

/* Return Open MPI's null datatype, or NULL with another MPI. */
static void *openmpi_null(const struct gptl_layers_call *call)
{
    return gptl_layers_next(&null_type, call->caller);
}

/*
 * Test for the null datatype first: MPI may abort a program that queries its size. In MPICH it is a
 * number.
 */
static bool is_null_type(const struct gptl_layers_call *call, gptl_word type)
{
    enum { MPICH_NULL = 0x0c000000 };
    void *null = openmpi_null(call);
    return null ? (void *)(uintptr_t)type == null : (uint32_t)type == MPICH_NULL;
}

static int64_t size_of_type(const struct gptl_layers_call *call, gptl_word type)
{
    int size = -1;
    return ask(call, &type_size, type, gptl_layers_pointer(&size), NULL) ? size : -1;
}

static int64_t times(int64_t n, int64_t size)
{
    int64_t bytes;
    return n < 0 || size < 0 || __builtin_mul_overflow(n, size, &bytes) ? -1 : bytes;
}

/*
 * Return the bytes moved. COUNT and TYPE describe the buffer; with the null type, its layout equals
 * the variable's in the file.
 */
static int64_t bytes_of(const struct gptl_layers_call *call, gptl_word file, gptl_word variable,
                        const gptl_word *w, const gptl_word *count, const gptl_word *type)
{
    if (call->row->size)
        return times(elements(call, file, variable, w), call->row->size);
    if (call->row->shape == VARD)
        return is_null_type(call, w[0]) ? 0 : size_of_type(call, w[0]);
    if (is_null_type(call, *type))
        return times(elements(call, file, variable, w), size_of_variable(call, file, variable));
    int64_t n = (int64_t)*count;
    return times(n < 0 ? elements(call, file, variable, w) : n, size_of_type(call, *type));
}

static int64_t moved(const struct gptl_layers_call *call)
{
    const gptl_word *w = call->words, *buffer = w + 2 + between[call->row->shape];
    return bytes_of(call, w[0], w[1], w + 2, buffer + 1, buffer + 2);
}

/* Return the bytes moved for lists of variables and their arguments. */
static int64_t moved_of_many(const struct gptl_layers_call *call)
{
    const gptl_word *w = call->words;
    const gptl_word *buffers = w + 3 + between[call->row->shape];
    const int *variables = (const int *)(uintptr_t)w[2];
    int64_t sum = 0;
    for (int i = 0; variables && i < (int)w[1]; i++) {
        gptl_word own[4] = {0}, count = 0, type = 0;
        for (int j = 0; j < between[call->row->shape]; j++) {
            const gptl_word *list = (const gptl_word *)(uintptr_t)w[3 + j];
            own[j] = list ? list[i] : 0;
        }
        if (!call->row->size) {
            const int32_t *types = (const int32_t *)(uintptr_t)buffers[2];
            bool wide = openmpi_null(call) != NULL;
            count = buffers[1] ? ((const gptl_word *)(uintptr_t)buffers[1])[i] : 0;
            type = wide ? ((const gptl_word *)(uintptr_t)buffers[2])[i] : (uint32_t)types[i];
        }
        int64_t bytes = bytes_of(call, w[0], (gptl_word)variables[i], own, &count, &type);
        if (bytes < 0 || __builtin_add_overflow(sum, bytes, &sum))
            return -1;
    }
    return sum;
}

/* ---- Requests -------------------------------------------------------------------------------- */

static struct gptl_kept_key request_key(uint64_t file, int request)
{
    return (struct gptl_kept_key){GPTL_KEPT_REQUEST, file, (uint32_t)request};
}

/*
 * Keep a request. Its number is returned through the last argument. A request whose number the
 * caller discards can only be completed by waiting for all.
 */
static void keep_request(const struct gptl_layers_call *call, int64_t bytes)
{
    const gptl_word *buffer = call->words + 2 + between[call->row->shape];
    const int *request = (const int *)(uintptr_t)buffer[call->row->size ? 1 : 3];
    bool reads = call->row->operation == GPTL_OP_READ;
    struct gptl_kept kept = {.read = reads ? bytes : 0, .written = reads ? 0 : bytes};
    int number = request ? *request : reads ? INT_MIN : INT_MIN + 1;
    if (bytes > 0)
        gptl_kept_add(request_key(file_of(call, call->words[0]), number), &kept);
}

struct waited {
    int which;
    int64_t read, written;
};

static bool takes(void *to, const struct gptl_kept *value)
{
    struct waited *w = to;
    if ((w->which == ALL_READS && value->read == 0) ||
        (w->which == ALL_WRITES && value->written == 0))
        return false;
    w->read += value->read;
    w->written += value->written;
    return true;
}

static void wait_for_requests(struct gptl_layers_call *call)
{
    struct waited waited = {.which = (int)call->words[1]};
    const int *requests = (const int *)(uintptr_t)call->words[2];
    uint64_t file = file_of(call, call->words[0]);
    struct gptl_kept kept;
    if (waited.which < 0)
        gptl_kept_take_all(GPTL_KEPT_REQUEST, file, takes, &waited);
    for (int i = 0; requests && i < waited.which; i++)
        if (gptl_kept_take(request_key(file, requests[i]), &kept)) {
            waited.read += kept.read;
            waited.written += kept.written;
        }
    call->bytes = waited.read + waited.written;
    if (call->row->operation == GPTL_OP_OTHER && call->bytes > 0 &&
        (waited.read == 0 || waited.written == 0))
        call->operation = waited.read ? GPTL_OP_READ : GPTL_OP_WRITE;
}

static void forget_requests(const struct gptl_layers_call *call)
{
    struct waited all = {.which = ALL_REQUESTS};
    gptl_kept_take_all(GPTL_KEPT_REQUEST, file_of(call, call->words[0]), takes, &all);
}

/* ---- Argument forms -------------------------------------------------------------------------- */

enum form { NAMED, DELETE, OPENED, CLOSED, WAIT, CANCEL, MOVE, MANY, POST };

static GPTL_SELDOM void ask_name(struct gptl_layers_call *call, struct gptl_layers_file *file)
{
    int length = 0;
    char name[PATH_MAX];
    if (!ask(call, &inq_path, call->words[0], gptl_layers_pointer(&length), NULL) || length < 0 ||
        length >= (int)sizeof name || !ask(call, &inq_path, call->words[0], 0, name))
        return;
    call->name = GPTLprobe_name(GPTL_LAYER_PNETCDF, name);
    if (file)
        atomic_store(&file->name, call->name);
}

/*
 * Determine the file's name. PnetCDF is queried once per opening, and again when the log no longer
 * contains the name.
 */
static inline void name_file(struct gptl_layers_call *call, struct gptl_layers_file *file)
{
    uint64_t name = file ? atomic_load_explicit(&file->name, memory_order_relaxed) : 0;
    if (__builtin_expect(name && GPTLprobe_has_name(GPTL_LAYER_PNETCDF, name), 1))
        call->name = name;
    else
        ask_name(call, file);
}

static GPTL_SELDOM void before_others(struct gptl_layers_call *call)
{
    const gptl_word *w = call->words;
    enum form form = (enum form)call->row->form;
    if (form == NAMED || form == DELETE) {
        call->name = GPTLprobe_name(GPTL_LAYER_PNETCDF, (const char *)(uintptr_t)w[form == NAMED]);
        GPTLprobe_opening(); /* discard an opening that belongs to another file */
    } else if (form == MANY) {
        call->bytes = moved_of_many(call);
    } else if (form == WAIT || form == CANCEL) {
        wait_for_requests(call); /* the request numbers are invalid afterwards */
    }
}

static void before(struct gptl_layers_call *call)
{
    enum form form = (enum form)call->row->form;
    struct gptl_layers_file *file = NULL;
    if (form != NAMED && form != DELETE) {
        file = gptl_layers_file_made(GPTL_LAYER_PNETCDF, file_of(call, call->words[0]));
        name_file(call, file);
    }
    if (form == MOVE)
        call->bytes = moved(call);
    else if (form != OPENED)
        before_others(call);
    if (file && call->row->is_collective)
        call->collective = gptl_layers_file_collective(file, &call->opening);
}

static void after(struct gptl_layers_call *call, gptl_word result)
{
    const int *opened = (const int *)(uintptr_t)call->words[4];
    if (((int)result != 0 && (int)result != OUT_OF_RANGE) || call->row->form == CANCEL) {
        call->bytes = -1;
        return;
    }
    switch ((enum form)call->row->form) {
    case NAMED:
        gptl_layers_file_opened(GPTL_LAYER_PNETCDF, file_of(call, (gptl_word)*opened));
        return;
    case POST:
        keep_request(call, moved(call));
        return;
    case CLOSED:
        forget_requests(call);
        return;
    default:
        return;
    }
}

/* ---- Functions ------------------------------------------------------------------------------- */

static const struct gptl_layers_library pnetcdf = {GPTL_LAYER_PNETCDF, before, NULL, after};

#define PNETCDF(symbol, what, how, which, bytes, all)                                              \
    GPTL_LAYERS_ROW(symbol, .operation = GPTL_OP_##what, .form = how, .shape = which,              \
                    .size = bytes, .is_collective = all)                                           \
    GPTL_LAYERS_WRAPPER(pnetcdf, symbol)
#include "iostack/layers/pnetcdf.def"
