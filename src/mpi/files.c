/* files.c - files of MPI-IO: their names, and the statistics of calls on them. */
#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/notes.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* ---- Names ----------------------------------------------------------------------------------- */

/* Ledgers identify a name by its address, so it is never freed. */
struct name {
    struct name *next;
    char text[];
};

enum { CHAINS = 256 };
static struct name *names[CHAINS];
static long long nnames;

static uint32_t hash_of(const char *text)
{
    uint32_t hash = 2166136261u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return (hash ^ hash >> 16) % CHAINS;
}

/* Return the name for TEXT in the ledger: beyond a limit, all further files share one name. */
static const char *listed(const char *text)
{
    struct name **chain = &names[hash_of(text)], *name = *chain;
    while (name && strcmp(name->text, text) != 0)
        name = name->next;
    if (!name && nnames < gptl_core_option(GPTL_OPT_MPI_FILES) &&
        (name = malloc(sizeof *name + strlen(text) + 1))) {
        strcpy(name->text, text);
        name->next = *chain;
        *chain = name;
        nnames++;
    }
    return name ? name->text : GPTL_LEDGER_REST_NAME;
}

/* ---- Open files ------------------------------------------------------------------------------ */

struct open_file {
    struct open_file *next;
    MPI_File file;
    const char *listed; /* name in the ledger */
};

static struct open_file *open_files;
static atomic_uint nclosed; /* number of closed files */

static struct open_file **find(MPI_File file)
{
    struct open_file **at = &open_files;
    while (*at && (*at)->file != file)
        at = &(*at)->next;
    return at;
}

static void forget(MPI_File file)
{
    struct open_file **at = find(file), *gone = *at;
    if (gone) {
        *at = gone->next;
        atomic_fetch_add(&nclosed, 1);
    }
    free(gone);
}

static void opened(MPI_File file, const char *name)
{
    struct open_file *one = malloc(sizeof *one);
    pthread_mutex_lock(&mutex);
    forget(file); /* its closing was not observed */
    if (one) {
        *one = (struct open_file){open_files, file, listed(name)};
        open_files = one;
    }
    pthread_mutex_unlock(&mutex);
}

static void closed(MPI_File file)
{
    pthread_mutex_lock(&mutex);
    forget(file);
    pthread_mutex_unlock(&mutex);
}

/* This thread's latest lookup, valid without a lock until a file is closed. */
static __thread struct latest {
    MPI_File file;
    const char *listed; /* or NULL */
    unsigned nclosed;
} latest __attribute__((tls_model("initial-exec")));

static GPTL_SELDOM const char *look_up(MPI_File file)
{
    pthread_mutex_lock(&mutex);
    const struct open_file *one = *find(file);
    latest = (struct latest){file, one ? one->listed : NULL, atomic_load(&nclosed)};
    pthread_mutex_unlock(&mutex);
    return latest.listed;
}

static inline const char *listed_name(MPI_File file)
{
    if (gptl_mpi_likely(latest.listed && latest.file == file &&
                        latest.nclosed == atomic_load_explicit(&nclosed, memory_order_acquire)))
        return latest.listed;
    return look_up(file);
}

/* ---- Statistics ------------------------------------------------------------------------------ */

/* Columns of the ledger. */
enum { OPENS, READS, WRITES, READ_BYTES, WRITTEN_BYTES, NANOSECONDS };

struct gptl_mpi_file_call gptl_mpi_file_begins(void)
{
    return (struct gptl_mpi_file_call){gptl_core_nanoseconds()};
}

static void note(const struct gptl_mpi_file_call *call, const char *file, int64_t *values)
{
    values[NANOSECONDS] = (int64_t)(gptl_core_nanoseconds() - call->began);
    if (file && gptl_core_option(GPTL_OPT_MPI_FILES))
        gptl_core_account(GPTL_LEDGER_FILES, file, 0, values);
}

static bool is_write(enum gptl_mpi_what what)
{
    return what == GPTL_MPI_WRITES;
}

void gptl_mpi_note_file(const struct gptl_mpi_file_call *call, const char *name, MPI_File file,
                        enum gptl_mpi_what what, const MPI_Status *status)
{
    int64_t values[GPTL_LEDGER_VALUES] = {0};
    if (!gptl_mpi_is_noted(name))
        return;
    if (what != GPTL_MPI_NOTHING && status && status != MPI_STATUS_IGNORE) {
        int64_t bytes = gptl_mpi_status_bytes(status);
        values[is_write(what) ? WRITES : READS] = 1;
        values[is_write(what) ? WRITTEN_BYTES : READ_BYTES] = bytes;
        gptl_mpi_note_size(name, is_write(what), bytes);
    }
    note(call, listed_name(file), values);
}

void gptl_mpi_note_file_posted(const struct gptl_mpi_file_call *call, const char *name,
                               MPI_File file, enum gptl_mpi_what what, const MPI_Request *request)
{
    int64_t values[GPTL_LEDGER_VALUES] = {0};
    const char *listed = listed_name(file);
    if (!gptl_mpi_is_noted(name))
        return;
    if (request) {
        values[is_write(what) ? WRITES : READS] = 1;
        gptl_mpi_note_io(name, listed, what, request);
    }
    note(call, listed, values);
}

void gptl_mpi_note_file_moved(const char *file, enum gptl_mpi_what what, int64_t bytes)
{
    int64_t values[GPTL_LEDGER_VALUES] = {0};
    values[is_write(what) ? WRITTEN_BYTES : READ_BYTES] = bytes;
    if (gptl_core_option(GPTL_OPT_MPI_FILES))
        gptl_core_account(GPTL_LEDGER_FILES, file, 0, values);
}

/* ---- Opening and closing --------------------------------------------------------------------- */

static int noting_MPI_File_open(MPI_Comm comm, const char *name, int mode, MPI_Info info,
                                MPI_File *file)
{
    struct gptl_work work;
    struct gptl_mpi_file_call call = gptl_mpi_file_begins();
    gptl_mpi_note_enter(&work);
    int rc = gptl_mpi_under.MPI_File_open(comm, name, mode, info, file);
    gptl_mpi_note_returned(&work);
    if (rc == MPI_SUCCESS && name) {
        opened(*file, name);
        if (gptl_mpi_is_noted("MPI_File_open"))
            note(&call, listed_name(*file), (int64_t[GPTL_LEDGER_VALUES]){[OPENS] = 1});
    }
    gptl_mpi_note_leave(&work);
    return rc;
}

/* Another file may reuse the handle immediately afterwards. */
static int noting_MPI_File_close(MPI_File *file)
{
    struct gptl_work work;
    struct gptl_mpi_file_call call = gptl_mpi_file_begins();
    gptl_mpi_note_enter(&work);
    const char *listed = file ? listed_name(*file) : NULL;
    if (file)
        closed(*file);
    int rc = gptl_mpi_under.MPI_File_close(file);
    gptl_mpi_note_returned(&work);
    if (gptl_mpi_is_noted("MPI_File_close"))
        note(&call, listed, (int64_t[GPTL_LEDGER_VALUES]){0});
    gptl_mpi_note_leave(&work);
    return rc;
}

const struct gptl_mpi_noter gptl_mpi_file_noters[] = {
    GPTL_MPI_NOTER(MPI_File_open, GPTL_MPI_NOTE_FILES),
    GPTL_MPI_NOTER(MPI_File_close, GPTL_MPI_NOTE_FILES),
    {0, NULL, 0},
};
