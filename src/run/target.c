/*
 * target.c - whether a program takes what `gptl run` preloads.
 *
 * The loader of another ABI writes an error for each library, and that of another C library does not even
 * start the program. After chroot and setuid the directory of the run cannot be reached any more: what is
 * not measured is counted in a page of it that this process has mapped since its start.
 */
#include "config.h"

#include "run/target.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "core/room.h"
#include "posix/peek.h"
#include "posix/raw.h"
#include "run/confine.h"

static char library[PATH_MAX], directory[PATH_MAX];
static struct gptl_room_file *room;
static struct stat root;
static uid_t user;

static bool is_in_other_root(void)
{
    struct stat now;
    return gptl_raw_stat("/", &now) == 0 &&
           (now.st_dev != root.st_dev || now.st_ino != root.st_ino);
}

/* A child of a process that took another user or root has no file of its own to measure into. */
static void count_child(void)
{
    int error = errno;
    struct stat s;
    if (gptl_run_is_confined())
        return;
    bool is_other_user = (uid_t)gptl_kernel_call(SYS_geteuid) != user;
    if ((is_other_user || is_in_other_root()) &&
        (gptl_raw_stat(directory, &s) != 0 || s.st_uid != (uid_t)gptl_kernel_call(SYS_geteuid)))
        gptl_room_count(room, is_other_user ? GPTL_ROOM_OTHER_USER : GPTL_ROOM_OTHER_ROOT,
                        program_invocation_name);
    errno = error;
}

/* ---- What is remembered ---------------------------------------------------------------------- */

static void copy(char to[PATH_MAX], const char *from, size_t n)
{
    if (n < PATH_MAX) {
        memcpy(to, from, n);
        to[n] = '\0';
    }
}

static void remember_library(void)
{
    const char *list = getenv("LD_PRELOAD");
    while (list && *list) {
        size_t n = strcspn(list, ": ");
        const char *mark = strstr(list, "/libgptl_run.so");
        if (mark && mark < list + n)
            copy(library, list, n);
        list += n + (list[n] != '\0');
    }
}

/* The last one that GPTL_OPTIONS names, as one run may be within another. */
static void remember_directory(void)
{
    static const char key[] = "run.dir=\"";
    const char *value = NULL, *at = getenv("GPTL_OPTIONS");
    while (at && (at = strstr(at, key)))
        value = at += sizeof key - 1;
    size_t n = value ? strcspn(value, "\"") : 0;
    if (n > 0 && value[n] == '"' && value[n + 1] != '"')
        copy(directory, value, n);
}

void gptl_run_target_begin(void)
{
    int error = errno;
    remember_library();
    remember_directory();
    if (gptl_raw_stat("/", &root) != 0)
        root.st_ino = 0;
    user = (uid_t)gptl_kernel_call(SYS_geteuid);
    if (*directory && !room && (room = gptl_room_map(directory)))
        pthread_atfork(NULL, NULL, count_child);
    errno = error;
}

/* ---- Where it is started --------------------------------------------------------------------- */

/* What keeps all programs that this process starts now from being measured; -1: nothing. */
static int find_obstacle(void)
{
    struct stat s;
    if (gptl_raw_stat(library, &s) != 0)
        return GPTL_ROOM_OTHER_ROOT;
    if (!*directory)
        return -1;
    if (gptl_raw_stat(directory, &s) == 0)
        return s.st_uid == (uid_t)gptl_kernel_call(SYS_geteuid) ? -1 : GPTL_ROOM_OTHER_USER;
    if (errno == EACCES)
        return GPTL_ROOM_OTHER_USER;
    return is_in_other_root() ? GPTL_ROOM_OTHER_ROOT : -1;
}

/* ---- What the program is --------------------------------------------------------------------- */

/* In pages of its own: the stack may be small. */
struct work {
    char file[PATH_MAX], path[PATH_MAX], interpreter[PATH_MAX];
    union {
        ElfW(Ehdr) head;
        char text[PATH_MAX];
    } begin;
};

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The loader of this process, or "". */
static const char *own_interpreter(void)
{
    const ElfW(Phdr) *part = (const void *)getauxval(AT_PHDR), *program = NULL;
    unsigned long n = getauxval(AT_PHNUM);
    for (unsigned long i = 0; part && i < n; i++)
        if (part[i].p_type == PT_PHDR)
            program = &part[i];
    for (unsigned long i = 0; program && i < n; i++)
        if (part[i].p_type == PT_INTERP)
            return (const char *)part - program->p_vaddr + part[i].p_vaddr;
    return "";
}

static bool is_of_this_machine(const ElfW(Ehdr) * head)
{
#if defined(__x86_64__)
    enum { MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
    enum { MACHINE = EM_AARCH64 };
#else
    enum { MACHINE = 0 };
#endif
    enum { CLASS = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32 };
    return head->e_ident[EI_CLASS] == CLASS && (!MACHINE || head->e_machine == MACHINE);
}

/* The loader that starts what is in FD; "" where it is linked statically, or that cannot be told. */
static void read_interpreter(int fd, const ElfW(Ehdr) * head, char interpreter[PATH_MAX])
{
    ElfW(Phdr) part;
    *interpreter = '\0';
    for (unsigned i = 0; i < head->e_phnum && head->e_phentsize == sizeof part; i++) {
        if (gptl_kernel_call(SYS_pread64, fd, &part, sizeof part,
                             head->e_phoff + i * sizeof part) != (long)sizeof part)
            return;
        if (part.p_type != PT_INTERP || part.p_filesz == 0 || part.p_filesz >= PATH_MAX)
            continue;
        if (gptl_kernel_call(SYS_pread64, fd, interpreter, part.p_filesz, part.p_offset) !=
            (long)part.p_filesz)
            *interpreter = '\0';
        interpreter[part.p_filesz] = '\0';
        return;
    }
}

/* Whether its loader takes our libraries. The interpreter of a script takes the place of W->path. */
static bool has_fitting_loader(struct work *w, int fd, bool *is_script)
{
    const ElfW(Ehdr) *head = &w->begin.head;
    long n = gptl_kernel_call(SYS_pread64, fd, w->begin.text, sizeof w->begin.text - 1, 0L);
    w->begin.text[n > 0 ? n : 0] = '\0';
    *is_script = n > 2 && w->begin.text[0] == '#' && w->begin.text[1] == '!';
    if (*is_script) {
        const char *from = w->begin.text + 2 + strspn(w->begin.text + 2, " \t");
        copy(w->path, from, strcspn(from, " \t\r\n"));
        return true;
    }
    if (n < (long)sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0)
        return true; /* the kernel or a shell knows what it is */
    if (!is_of_this_machine(head))
        return false;
    read_interpreter(fd, head, w->interpreter);
    return !*w->interpreter || strcmp(last_part(w->interpreter), last_part(own_interpreter())) == 0;
}

/* W->file as the system finds it, in W->path. */
static bool find_file(struct work *w, bool searches)
{
    const char *list = searches && !strchr(w->file, '/') ? getenv("PATH") : NULL;
    if (!list) {
        memcpy(w->path, w->file, sizeof w->path);
        return true;
    }
    for (;; list++) {
        size_t n = strcspn(list, ":");
        char *limit = w->path + sizeof w->path;
        if (n + strlen(w->file) + 2 < sizeof w->path) {
            memcpy(w->path, list, n);
            char *end = w->path + n;
            *end = '\0';
            end = gptl_raw_append(end, limit, n ? "/" : "");
            gptl_raw_append(end, limit, w->file);
            if (gptl_kernel_call(SYS_faccessat, AT_FDCWD, w->path, X_OK) == 0)
                return true;
        }
        list += n;
        if (!*list)
            return false;
    }
}

static bool is_of_this_abi(const char *file, bool searches)
{
    enum { SCRIPTS = 4 };
    struct work *w = gptl_raw_pages(sizeof *w);
    bool fits = true, is_script = true;
    if (!w)
        return true;
    if (gptl_posix_peek_text(w->file, sizeof w->file, file) > 0 && find_file(w, searches))
        for (int i = 0; i < SCRIPTS && fits && is_script; i++) {
            int fd = gptl_raw_open(w->path, O_RDONLY | O_NONBLOCK, 0);
            is_script = false;
            if (fd >= 0)
                fits = has_fitting_loader(w, fd, &is_script);
            if (fd >= 0)
                gptl_raw_close(fd);
        }
    gptl_raw_free(w, sizeof *w);
    return fits;
}

bool gptl_run_target_fits(const char *file, bool searches)
{
    char name[GPTL_ROOM_NAME] = "";
    int error = errno;
    if (!*library || gptl_run_is_confined())
        return true;
    int obstacle = find_obstacle();
    if (obstacle < 0 && file && !is_of_this_abi(file, searches))
        obstacle = GPTL_ROOM_OTHER_ABI;
    if (obstacle >= 0 && room) {
        if (file && gptl_posix_peek_text(name, sizeof name, file) < 0)
            name[0] = '\0';
        gptl_room_count(room, (enum gptl_room_reason)obstacle, name);
    }
    errno = error;
    return obstacle < 0;
}
