/* pvfs_stub.h - the part of the PVFS client that the tests call, in our own words. */
#ifndef PVFS_STUB_H
#define PVFS_STUB_H

#include <stdint.h>

typedef struct {
    uint64_t handle;
    int32_t fs_id, pad;
} PVFS_object_ref;

/* As large as the real one, and passed by value like that. */
typedef struct {
    uint64_t words[19];
} PVFS_sys_attr;

typedef struct PVFS_hint_s *PVFS_hint;
typedef struct {
    int64_t total_completed;
} PVFS_sysresp_io;

int PVFS_hint_add(PVFS_hint *hints, const char *name, int length, void *value);
int PVFS_hint_copy(PVFS_hint from, PVFS_hint *to);
void PVFS_hint_free(PVFS_hint *hints);
int PVFS_Request_size(const int64_t *request, int64_t *size);
int PVFS_sys_io(PVFS_object_ref ref, const void *file_request, int64_t offset, void *buffer,
                const int64_t *memory_request, const void *credential, PVFS_sysresp_io *response,
                int type, PVFS_hint hints);
int PVFS_isys_io(PVFS_object_ref ref, const void *file_request, int64_t offset, void *buffer,
                 const int64_t *memory_request, const void *credential, PVFS_sysresp_io *response,
                 int type, int64_t *operation, PVFS_hint hints, void *user);
int PVFS_sys_wait(int64_t operation, const char *what, int *error);
int PVFS_sys_testsome(int64_t *operations, int *n, void **users, int *errors, int timeout);
int PVFS_sys_create(const char *name, PVFS_object_ref parent, PVFS_sys_attr attributes,
                    const void *credential, const void *distribution, PVFS_object_ref *created,
                    const void *layout, PVFS_hint hints);
int PVFS_sys_flush(PVFS_object_ref ref, const void *credential, PVFS_hint hints);

/* The value of NAME in the list. */
const char *stub_hint(PVFS_hint hints, const char *name);
/* The number of hints that have not been freed. */
int stub_hints(void);
/* Called by PVFS_sys_flush. */
void stub_set_callback(void (*callback)(void));
/* Which of several copies of this library it is. */
const char *stub_name(void);

#endif
