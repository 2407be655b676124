/*
 * hdf5.c - the layer of HDF5, 1.10 to 1.14: attributes of its calls.
 *
 * Before a call, HDF5's query functions return the attributes from memory. HDF5 keeps an error
 * stack for each thread, which the intercepted call clears anyway. The type of each id is queried
 * first, which is not an error for an invalid id, so that the query functions print no errors.
 */
#include "config.h"

#include <limits.h>
#include <string.h>

#include "iostack/layers/calls.h"
#include "iostack/layers/files.h"

#pragma weak GPTLprobe_has_name
#pragma weak GPTLprobe_name
#pragma weak GPTLprobe_opening

/* Constants of HDF5's headers. */
enum { ID_DATATYPE = 3, ID_DATASPACE = 4, ID_DATASET = 5 };
enum { CLASS_INTEGER = 0, CLASS_FLOAT = 1, CLASS_VLEN = 9 };
enum {
    SPACE_PLIST = 2 /* smaller: the entire space, or the other space's selection */
};
enum { MPIO_COLLECTIVE = 1 };

static struct gptl_layers_function iget_type = {.name = "H5Iget_type"},
                                   fget_name = {.name = "H5Fget_name"},
                                   dget_space = {.name = "H5Dget_space"},
                                   aget_space = {.name = "H5Aget_space"},
                                   sclose = {.name = "H5Sclose"},
                                   npoints = {.name = "H5Sget_select_npoints"},
                                   tget_size = {.name = "H5Tget_size"},
                                   tget_class = {.name = "H5Tget_class"},
                                   tdetect_class = {.name = "H5Tdetect_class"},
                                   tis_variable = {.name = "H5Tis_variable_str"},
                                   get_dxpl_mpio = {.name = "H5Pget_dxpl_mpio"};

static int64_t ask(const struct gptl_layers_call *call, struct gptl_layers_function *function,
                   gptl_word a, gptl_word b, gptl_word c)
{
    return gptl_layers_ask(function, call->caller, a, b, c);
}

static int type_of(const struct gptl_layers_call *call, gptl_word id)
{
    return (int)ask(call, &iget_type, id, 0, 0);
}

/* ---- Cache ----------------------------------------------------------------------------------- */

/*
 * Answers received by this thread, by id: the file of an object, the size of a type, the mode of a
 * property list. HDF5 does not reuse an id until the library is closed, the file of an object is
 * constant, and functions that change types and property lists are watched. The cache is off if
 * different callers may use different HDF5 libraries, whose ids could coincide.
 */
enum { KNOWN_BITS = 6 };
static __thread struct known {
    gptl_word id;
    int64_t answer;
    unsigned as_of;
} known[1 << KNOWN_BITS] __attribute__((tls_model("initial-exec")));
static atomic_uint lives;   /* number of times HDF5 was closed */
static atomic_uint changes; /* the same, plus changes of types and property lists */

/* Return the cache entry for ID; NULL: caching is impossible. */
static struct known *known_at(gptl_word id)
{
    if (!gptl_layers_known(&iget_type.found))
        return NULL;
    return &known[id * UINT64_C(0x9e3779b97f4a7c15) >> (64 - KNOWN_BITS)];
}

/* Return whether the cached ANSWER for ID is valid, that is, COUNT has not changed since. */
static bool recall(gptl_word id, const atomic_uint *count, int64_t *answer)
{
    const struct known *k = known_at(id);
    if (!k || k->id != id || k->as_of != atomic_load_explicit(count, memory_order_relaxed))
        return false;
    *answer = k->answer;
    return true;
}

static void keep(gptl_word id, const atomic_uint *count, int64_t answer)
{
    struct known *k = known_at(id);
    if (k)
        *k = (struct known){id, answer, atomic_load_explicit(count, memory_order_relaxed)};
}

/* Discard a closed id; the next query with it must detect that it is invalid. */
static void forget(gptl_word id)
{
    struct known *k = known_at(id);
    if (k && k->id == id)
        k->id = 0;
}

/* ---- Bytes ---------------------------------------------------------------------------------- */

/* Return the number of selected elements in SPACE; -1: unknown. */
static int64_t points(const struct gptl_layers_call *call, gptl_word space)
{
    if (type_of(call, space) != ID_DATASPACE)
        return -1;
    return ask(call, &npoints, space, 0, 0);
}

/* Return the number of elements of an entire dataset or attribute, whose space GET returns. */
static int64_t all_points(const struct gptl_layers_call *call, gptl_word object,
                          struct gptl_layers_function *get)
{
    int64_t space = type_of(call, object) > 0 ? ask(call, get, object, 0, 0) : -1;
    if (space < 0)
        return -1;
    int64_t n = ask(call, &npoints, (gptl_word)space, 0, 0);
    ask(call, &sclose, (gptl_word)space, 0, 0);
    return n;
}

/* Return the size of an element in the program's memory; -1: unknown or variable. */
static int64_t asked_size(const struct gptl_layers_call *call, gptl_word type)
{
    int class = (int)ask(call, &tget_class, type, 0, 0); /* numbers have no components */
    if (class != CLASS_INTEGER && class != CLASS_FLOAT &&
        ((int)ask(call, &tdetect_class, type, CLASS_VLEN, 0) > 0 ||
         (int)ask(call, &tis_variable, type, 0, 0) > 0))
        return -1;
    int64_t size = ask(call, &tget_size, type, 0, 0);
    return size > 0 ? size : -1;
}

static int64_t size_of(const struct gptl_layers_call *call, gptl_word type)
{
    int64_t size;
    if (recall(type, &changes, &size))
        return size;
    if (type_of(call, type) != ID_DATATYPE)
        return -1;
    size = asked_size(call, type);
    keep(type, &changes, size);
    return size;
}

static int64_t product(int64_t n, int64_t size)
{
    int64_t bytes;
    return n < 0 || size < 0 || __builtin_mul_overflow(n, size, &bytes) ? -1 : bytes;
}

static int64_t data_bytes(const struct gptl_layers_call *call, gptl_word dataset, gptl_word type,
                          gptl_word memory, gptl_word file)
{
    int64_t n = -1;
    if (memory > SPACE_PLIST)
        n = points(call, memory);
    else if (file > SPACE_PLIST)
        n = points(call, file);
    else if (file < SPACE_PLIST && type_of(call, dataset) == ID_DATASET)
        n = all_points(call, dataset, &dget_space);
    return n == 0 ? 0 : product(n, size_of(call, type));
}

static int64_t many_bytes(const struct gptl_layers_call *call, const gptl_word *w)
{
    const gptl_word *datasets = (const gptl_word *)(uintptr_t)w[1],
                    *types = (const gptl_word *)(uintptr_t)w[2],
                    *memory = (const gptl_word *)(uintptr_t)w[3],
                    *file = (const gptl_word *)(uintptr_t)w[4];
    int64_t sum = 0;
    if (w[0] > 0 && (!datasets || !types || !memory || !file))
        return -1;
    for (gptl_word i = 0; i < w[0]; i++) {
        int64_t bytes = data_bytes(call, datasets[i], types[i], memory[i], file[i]);
        if (bytes < 0 || __builtin_add_overflow(sum, bytes, &sum))
            return -1;
    }
    return sum;
}

/* ---- File ------------------------------------------------------------------------------------ */

static GPTL_SELDOM void ask_file(struct gptl_layers_call *call, gptl_word object)
{
    char name[PATH_MAX];
    int type = type_of(call, object);
    if (type <= 0 || type == ID_DATASPACE ||
        ask(call, &fget_name, object, gptl_layers_pointer(name), sizeof name) < 0)
        name[0] = '\0';
    call->name = GPTLprobe_name(GPTL_LAYER_HDF5, name);
    if (call->name)
        keep(object, &lives, (int64_t)call->name);
}

static void name_file(struct gptl_layers_call *call, gptl_word object)
{
    int64_t answer;
    if (recall(object, &lives, &answer) && GPTLprobe_has_name(GPTL_LAYER_HDF5, (uint64_t)answer))
        call->name = (uint64_t)answer;
    else
        ask_file(call, object);
}

/*
 * Record the file of a new object. An object created under a plain NAME belongs to the file of its
 * parent: if a link of that name existed, HDF5 would create nothing. A path may lead to another
 * file.
 */
static void name_made(const struct gptl_layers_call *call, const char *name, gptl_word object)
{
    if (call->name && name && !strchr(name, '/'))
        keep(object, &lives, (int64_t)call->name);
}

/* Return whether all processes make this call, according to its property list, if any. */
static bool is_collective(const struct gptl_layers_call *call, gptl_word properties)
{
    int64_t answer;
    int mode = 0;
    if (properties == 0)
        return false;
    if (recall(properties, &changes, &answer))
        return answer == MPIO_COLLECTIVE;
    if (type_of(call, properties) <= 0)
        return false;
    if ((int)ask(call, &get_dxpl_mpio, properties, gptl_layers_pointer(&mode), 0) < 0)
        mode = 0;
    keep(properties, &changes, mode);
    return mode == MPIO_COLLECTIVE;
}

static void number_call(struct gptl_layers_call *call)
{
    struct gptl_layers_file *file = gptl_layers_file_made(GPTL_LAYER_HDF5, call->name);
    if (file)
        call->collective = gptl_layers_file_collective(file, &call->opening);
}

static void number_data(struct gptl_layers_call *call, gptl_word properties)
{
    if (is_collective(call, properties))
        number_call(call);
}

/*
 * Number a change of the structure of a file, which all processes must make if several have opened
 * it.
 */
static void number_change(struct gptl_layers_call *call)
{
    const struct gptl_layers_file *file =
        call->row->is_collective ? gptl_layers_file(GPTL_LAYER_HDF5, call->name) : NULL;
    if (file && atomic_load_explicit(&file->opening, memory_order_relaxed))
        number_call(call);
}

/* ---- Argument forms -------------------------------------------------------------------------- */

enum form { NOTHING, LIBRARY, WATCHED, NAMED, OBJECT, MADE, CLOSED, DATA, MANY, CHUNK, ATTRIBUTE };

/* Handle the forms that are rare in most programs. */
static GPTL_SELDOM void before_others(struct gptl_layers_call *call, const gptl_word *w)
{
    switch ((enum form)call->row->form) {
    case NAMED:
        call->name = GPTLprobe_name(GPTL_LAYER_HDF5, (const char *)(uintptr_t)w[0]);
        GPTLprobe_opening(); /* discard an opening that belongs to another file */
        return;
    case MANY:
        if (w[0] > 0 && w[1])
            name_file(call, *(const gptl_word *)(uintptr_t)w[1]);
        call->bytes = many_bytes(call, w);
        number_data(call, w[5]);
        return;
    case CHUNK:
        name_file(call, w[0]);
        call->bytes = (int64_t)w[4];
        return;
    case ATTRIBUTE:
        name_file(call, w[0]);
        call->bytes = product(all_points(call, w[0], &aget_space), size_of(call, w[1]));
        number_change(call);
        return;
    default:
        return;
    }
}

static void before(struct gptl_layers_call *call)
{
    const gptl_word *w = call->words + call->row->at;
    enum form form = (enum form)call->row->form;
    if (form != OBJECT && form != MADE && form != CLOSED && form != DATA) {
        before_others(call, w);
        return;
    }
    name_file(call, w[0]);
    if (form == DATA) {
        call->bytes = data_bytes(call, w[0], w[1], w[2], w[3]);
        number_data(call, w[4]);
    } else {
        number_change(call);
    }
}

static GPTL_SELDOM void after_others(const struct gptl_layers_call *call, bool failed)
{
    const struct gptl_layers_row *row = call->row;
    if (!failed && row->form == NAMED && row->operation == GPTL_OP_OPEN)
        gptl_layers_file_opened(GPTL_LAYER_HDF5, call->name);
    if (row->form == LIBRARY || row->form == WATCHED)
        atomic_fetch_add(&changes, 1);
    if (row->form == LIBRARY)
        atomic_fetch_add(&lives, 1);
}

static void after(struct gptl_layers_call *call, gptl_word result)
{
    const struct gptl_layers_row *row = call->row;
    bool failed = row->operation == GPTL_OP_OPEN ? (int64_t)result < 0 : (int)result < 0;
    if (failed)
        call->bytes = -1;
    if (row->form == CLOSED)
        forget(call->words[row->at]);
    else if (row->form == MADE && (int64_t)result > 0)
        name_made(call, (const char *)(uintptr_t)call->words[row->at + 1], result);
    else if (row->form == LIBRARY || row->form == WATCHED || row->form == NAMED)
        after_others(call, failed);
}

/* ---- Functions ------------------------------------------------------------------------------- */

static const struct gptl_layers_library hdf5 = {GPTL_LAYER_HDF5, before, NULL, after};

#define HDF5(symbol, what, how, first, all)                                                        \
    GPTL_LAYERS_ROW(symbol, .operation = GPTL_OP_##what, .form = how, .is_collective = all,        \
                    .is_watched = how == WATCHED, .at = first)                                     \
    GPTL_LAYERS_WRAPPER(hdf5, symbol)
#include "iostack/layers/hdf5.def"
