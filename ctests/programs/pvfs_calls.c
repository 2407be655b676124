/*
 * pvfs_calls.c - calls each function of the stub, and prints arguments that arrived changed. With
 * -DLOADER it is a program that loads the modules in its arguments, each of which is this file with
 * a separate stub.
 */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "pvfs_stub.h"

int run(const char *name);

static int wrong(const char *what)
{
    fprintf(stderr, "pvfs_calls: wrong: %s\n", what);
    return 1;
}

#ifdef LOADER

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        int (*run_it)(const char *) = NULL;
        void *module = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        if (module)
            *(void **)&run_it = dlsym(module, "run");
        const char *name = strrchr(argv[i], '/');
        if (!run_it || run_it(name ? name + 1 : argv[i]))
            return wrong(argv[i]);
    }
    return 0;
}

#else

static jmp_buf away;

static void jump(void)
{
    longjmp(away, 1);
}

int run(const char *name)
{
    static PVFS_object_ref ref = {77, -5, 0};
    PVFS_object_ref created;
    PVFS_sys_attr attributes;
    PVFS_sysresp_io response = {0}, responses[3];
    PVFS_hint hints = NULL;
    char buffer[1];
    int64_t size = 4096, operations[3];
    int n = 3, errors[3], error;
    void *users[3];
    if (strcmp(stub_name(), name) != 0)
        return wrong("the library");
    PVFS_hint_add(&hints, "own", 6, "value");
    for (uint64_t i = 0; i < sizeof attributes.words / sizeof attributes.words[0]; i++)
        attributes.words[i] = i * i + 1;
    if (PVFS_sys_create("new", ref, attributes, (void *)1, (void *)2, &created, (void *)3, NULL) ||
        created.handle != 77)
        return wrong("PVFS_sys_create");
    if (PVFS_sys_io(ref, &size, 1000, buffer, &size, &size, &response, 2, NULL) ||
        response.total_completed != 4096)
        return wrong("PVFS_sys_io");
    if (PVFS_sys_io(ref, &size, 2000, buffer, &size, &size, &response, 1, hints))
        return wrong("PVFS_sys_io with hints");
    if (stub_hint(hints, "gptl.call") || stub_hints() != 1)
        return wrong("hints");
    ref.handle = 1;
    if (PVFS_sys_io(ref, &size, 0, buffer, &size, &size, &response, 2, NULL) != -22)
        return wrong("an error");
    ref.handle = 77;
    for (int i = 0; i < 3; i++)
        if (PVFS_isys_io(ref, &size, i * 4096, buffer, &size, &size, &responses[i], 2,
                         &operations[i], NULL, &operations[i]))
            return wrong("PVFS_isys_io");
    if (PVFS_sys_wait(operations[1], "test", &error) ||
        PVFS_sys_testsome(operations, &n, users, errors, 10) || n != 2 ||
        users[1] != &operations[2])
        return wrong("PVFS_sys_testsome");
    stub_set_callback(jump);
    if (setjmp(away) == 0) {
        PVFS_sys_flush(ref, &size, NULL);
        return wrong("PVFS_sys_flush returns");
    }
    stub_set_callback(NULL);
    if (PVFS_sys_flush(ref, &size, hints))
        return wrong("PVFS_sys_flush");
    PVFS_hint_free(&hints);
    return 0;
}

#ifdef PROGRAM
int main(void)
{
    return run("stub");
}
#endif
#endif
