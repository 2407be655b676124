/*
 * pvfs_stub.c - a substitute for libpvfs2 in tests: it takes the calls, checks its arguments, and
 * is the server as well, with probes that find their parent by the hint. It moves no data.
 */
#include <stdlib.h>
#include <string.h>

#include "gptl_probe.h"
#include "pvfs_stub.h"

#ifndef NAME
#define NAME "stub"
#endif

struct PVFS_hint_s {
    struct PVFS_hint_s *next;
    char *name, *value;
};

enum { IO_READ = 1, IO_WRITE = 2, OPERATIONS = 16, INVALID = -22 };

static int hints;
static void (*callback)(void);
static struct {
    char id[GPTL_CALLID_TEXT];
    PVFS_sysresp_io *response;
    int64_t bytes;
    void *user;
    int type, is_on;
} operations[OPERATIONS];

int PVFS_hint_add(PVFS_hint *list, const char *name, int length, void *value)
{
    PVFS_hint hint = malloc(sizeof *hint);
    hint->name = strdup(name);
    hint->value = malloc((size_t)length);
    memcpy(hint->value, value, (size_t)length);
    hint->next = *list;
    *list = hint;
    hints++;
    return 0;
}

int PVFS_hint_copy(PVFS_hint from, PVFS_hint *to)
{
    for (*to = NULL; from; from = from->next)
        PVFS_hint_add(to, from->name, (int)strlen(from->value) + 1, from->value);
    return 0;
}

void PVFS_hint_free(PVFS_hint *list)
{
    while (*list) {
        PVFS_hint next = (*list)->next;
        free((*list)->name);
        free((*list)->value);
        free(*list);
        *list = next;
        hints--;
    }
}

const char *stub_hint(PVFS_hint list, const char *name)
{
    while (list && strcmp(list->name, name) != 0)
        list = list->next;
    return list ? list->value : NULL;
}

int stub_hints(void)
{
    return hints;
}

void stub_set_callback(void (*other)(void))
{
    callback = other;
}

const char *stub_name(void)
{
    return NAME;
}

int PVFS_Request_size(const int64_t *request, int64_t *size)
{
    *size = *request;
    return 0;
}

/* ---- I/O: the server works when it is waited for --------------------------------------------- */

int PVFS_isys_io(PVFS_object_ref ref, const void *file_request, int64_t offset, void *buffer,
                 const int64_t *memory_request, const void *credential, PVFS_sysresp_io *response,
                 int type, int64_t *operation, PVFS_hint list, void *user)
{
    int i = 0;
    const char *id = stub_hint(list, "gptl.call");
    if (ref.handle != 77 || ref.fs_id != -5 || offset < 0 || !file_request || !buffer ||
        !credential || (type != IO_READ && type != IO_WRITE))
        return INVALID;
    while (operations[i].is_on)
        i++;
    operations[i].is_on = 1;
    operations[i].type = type;
    operations[i].user = user;
    operations[i].response = response;
    operations[i].bytes = *memory_request;
    strcpy(operations[i].id, id ? id : "");
    *operation = i;
    return 0;
}

static void serve(int i)
{
    GPTLprobe_begin_from(GPTL_LAYER_SERVER,
                         operations[i].type == IO_READ ? GPTL_OP_READ : GPTL_OP_WRITE,
                         operations[i].id);
    GPTLprobe_bytes(GPTL_LAYER_SERVER, operations[i].bytes);
    GPTLprobe_end(GPTL_LAYER_SERVER);
    operations[i].response->total_completed = operations[i].bytes;
    operations[i].is_on = 0;
}

int PVFS_sys_wait(int64_t operation, const char *what, int *error)
{
    if (!what || operation < 0 || operation >= OPERATIONS)
        return INVALID;
    serve((int)operation);
    *error = 0;
    return 0;
}

int PVFS_sys_testsome(int64_t *done, int *n, void **users, int *errors, int timeout)
{
    int found = 0;
    (void)timeout;
    for (int i = 0; i < OPERATIONS && found < *n; i++)
        if (operations[i].is_on) {
            serve(i);
            done[found] = i;
            users[found] = operations[i].user;
            errors[found++] = 0;
        }
    *n = found;
    return 0;
}

int PVFS_sys_io(PVFS_object_ref ref, const void *file_request, int64_t offset, void *buffer,
                const int64_t *memory_request, const void *credential, PVFS_sysresp_io *response,
                int type, PVFS_hint list)
{
    int64_t operation;
    int error = PVFS_isys_io(ref, file_request, offset, buffer, memory_request, credential,
                             response, type, &operation, list, NULL);
    return error ? error : PVFS_sys_wait(operation, "io", &error);
}

/* ---- Others --------------------------------------------------------------------------------- */

int PVFS_sys_create(const char *name, PVFS_object_ref parent, PVFS_sys_attr attributes,
                    const void *credential, const void *distribution, PVFS_object_ref *created,
                    const void *layout, PVFS_hint list)
{
    for (uint64_t i = 0; i < sizeof attributes.words / sizeof attributes.words[0]; i++)
        if (attributes.words[i] != i * i + 1)
            return INVALID;
    if (strcmp(name, "new") != 0 || parent.handle != 77 || parent.fs_id != -5 ||
        credential != (void *)1 || distribution != (void *)2 || layout != (void *)3 || list)
        return INVALID;
    *created = parent;
    return 0;
}

int PVFS_sys_flush(PVFS_object_ref ref, const void *credential, PVFS_hint list)
{
    (void)list;
    if (callback)
        callback();
    return ref.handle == 77 && credential ? 0 : INVALID;
}
