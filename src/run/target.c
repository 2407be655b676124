/*
 * target.c - decides whether a program can load the libraries preloaded by `gptl run`.
 *
 * The loader of another ABI prints an error for each library, and the loader of another C library
 * does not even start the program. After chroot or setuid the directory of the run is unreachable;
 * therefore unmeasured programs are counted in a page of a file there, mapped at process start.
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
#include "run/container.h"
#include "run/libc_version.h"

static char library[PATH_MAX], directory[PATH_MAX];
static struct gptl_room_file *room;
static struct stat root;
static uid_t user;
static struct stat own_loader;
static int needed; /* of glibc 2.N */

static bool is_in_other_root(void)
{
    struct stat now;
    return gptl_raw_stat("/", &now) == 0 &&
           (now.st_dev != root.st_dev || now.st_ino != root.st_ino);
}

/*
 * Count this child of a process that changed its user or root: it cannot create a file for its
 * measurement.
 */
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

/* ---- Saved state ----------------------------------------------------------------------------- */

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

/* Save the last directory in GPTL_OPTIONS, because runs can be nested. */
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

/* Return the loader of this process, or "". */
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

void gptl_run_target_begin(void)
{
    int error = errno;
    remember_library();
    remember_directory();
    if (gptl_raw_stat("/", &root) != 0)
        root.st_ino = 0;
    user = (uid_t)gptl_kernel_call(SYS_geteuid);
    needed = gptl_libc_version_needed();
    if (gptl_raw_stat(own_interpreter(), &own_loader) != 0)
        needed = 0;
    if (*directory && !room && (room = gptl_room_map(directory)))
        pthread_atfork(NULL, NULL, count_child);
    errno = error;
}

/* ---- Environment of the start ---------------------------------------------------------------- */

/* Return the obstacle that makes all programs started now unmeasurable; -1: none. */
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

/* ---- Examination of the program -------------------------------------------------------------- */

/* Work space in mapped pages, because the stack may be small. */
struct work {
    char file[PATH_MAX], path[PATH_MAX], interpreter[PATH_MAX];
    union {
        ElfW(Ehdr) head;
        char text[PATH_MAX];
    } begin;
    char word[1 << 17]; /* of a command line or an environment */
};

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
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

/* Read the path of FD's loader; "" for a static program or if it cannot be determined. */
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

/*
 * Return whether the program's loader accepts our libraries. The interpreter of a script replaces
 * W->path.
 */
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
        return true; /* unknown format: left to the kernel or a shell */
    if (!is_of_this_machine(head))
        return false;
    read_interpreter(fd, head, w->interpreter);
    return !*w->interpreter || strcmp(last_part(w->interpreter), last_part(own_interpreter())) == 0;
}

/* Resolve W->file to W->path as the system does. */
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

enum fit { FITS, TAKES_NO_PRELOAD, OTHER_ABI };

/* Return whether the program is setuid or setgid: its loader ignores preloaded libraries. */
static bool gives_rights(int fd)
{
    struct stat s;
    return gptl_raw_fstat(fd, &s) == 0 &&
           ((s.st_mode & S_ISUID && s.st_uid != (uid_t)gptl_kernel_call(SYS_geteuid)) ||
            (s.st_mode & S_ISGID && s.st_gid != (gid_t)gptl_kernel_call(SYS_getegid)));
}

/* Return whether the program starts with a glibc that is too old for our libraries: they would end it. */
static bool has_old_libc(struct work *w)
{
    struct stat s;
    if (!*w->interpreter || gptl_raw_stat(w->interpreter, &s) != 0 ||
        (s.st_dev == own_loader.st_dev && s.st_ino == own_loader.st_ino))
        return false;
    int fd = gptl_raw_open(w->interpreter, O_RDONLY, 0);
    if (fd < 0)
        return false;
    bool is_old = gptl_libc_version_of(fd, w->word, sizeof w->word) < needed;
    gptl_raw_close(fd);
    return is_old;
}

static enum fit examine(struct work *w, bool searches)
{
    enum { SCRIPTS = 4 };
    enum fit fit = FITS;
    bool is_script = find_file(w, searches);
    for (int i = 0; i < SCRIPTS && is_script && fit == FITS; i++) {
        int fd = gptl_raw_open(w->path, O_RDONLY | O_NONBLOCK, 0);
        if (fd < 0)
            break;
        *w->interpreter = '\0';
        if (!has_fitting_loader(w, fd, &is_script) || (!is_script && has_old_libc(w)))
            fit = OTHER_ABI;
        else if (!is_script && (!*w->interpreter || gives_rights(fd)))
            fit = TAKES_NO_PRELOAD;
        gptl_raw_close(fd);
    }
    return fit;
}

/* ---- Containers ------------------------------------------------------------------------------ */

/*
 * Return whether one of WORDS shows that the container has our libraries; set IS_START if one
 * starts the container.
 */
static bool is_prepared(struct work *w, enum gptl_container kind, char *const words[],
                        bool is_environment, bool *is_start)
{
    const char *word;
    for (; words && gptl_posix_peek(&word, words, sizeof word) && word; words++) {
        if (gptl_posix_peek_text(w->word, sizeof w->word, word) < 0)
            continue;
        if (gptl_container_is_prepared(w->word, is_environment))
            return true;
        *is_start |= !is_environment && gptl_container_is_start(kind, w->word);
    }
    return false;
}

/* Return whether a program of KIND starts a container without our libraries. */
static bool leaves_out(struct work *w, enum gptl_container kind, char *const argv[],
                       char *const envp[])
{
    bool is_start = false;
    return !is_prepared(w, kind, argv, false, &is_start) &&
           !is_prepared(w, kind, envp, true, &is_start) && is_start;
}

extern char **environ;

bool gptl_run_target_is_container(char *const argv[])
{
    enum gptl_container kind = gptl_container_of(program_invocation_short_name);
    struct work *w = NULL;
    int error = errno;
    if (kind == GPTL_CONTAINER_NONE || gptl_container_becomes_command(kind))
        return false;
    remember_directory();
    struct gptl_room_file *counts = *directory ? gptl_room_map(directory) : NULL;
    if (counts && (w = gptl_raw_pages(sizeof *w)) && leaves_out(w, kind, argv, environ))
        gptl_room_count(counts, GPTL_ROOM_CONTAINER, program_invocation_name);
    if (w)
        gptl_raw_free(w, sizeof *w);
    errno = error;
    return true;
}

/* ---- Decision -------------------------------------------------------------------------------- */

/*
 * Return the reason why W->file is not measured, or -1. IS_TOLD becomes false if no measurement is
 * lost.
 */
static int find_misfit(struct work *w, bool searches, char *const argv[], char *const envp[],
                       bool *is_told)
{
    if (!*w->file)
        return -1;
    enum fit fit = examine(w, searches);
    enum gptl_container kind = gptl_container_of(w->file);
    if (kind == GPTL_CONTAINER_NONE || gptl_container_becomes_command(kind)) {
        if (fit == OTHER_ABI)
            return GPTL_ROOM_OTHER_ABI;
        if (fit == FITS || kind == GPTL_CONTAINER_NONE)
            return -1;
    }
    *is_told = leaves_out(w, kind, argv, envp);
    return GPTL_ROOM_CONTAINER;
}

bool gptl_run_target_fits(const char *file, bool searches, char *const argv[], char *const envp[])
{
    bool is_told = true;
    int error = errno;
    if (!*library || gptl_run_is_confined())
        return true;
    struct work *w = file ? gptl_raw_pages(sizeof *w) : NULL;
    if (w && gptl_posix_peek_text(w->file, sizeof w->file, file) < 0)
        *w->file = '\0';
    int obstacle = find_obstacle();
    if (w && obstacle < 0)
        obstacle = find_misfit(w, searches, argv, envp, &is_told);
    if (obstacle >= 0 && is_told && room)
        gptl_room_count(room, (enum gptl_room_reason)obstacle, w ? w->file : "");
    if (w)
        gptl_raw_free(w, sizeof *w);
    errno = error;
    return obstacle < 0;
}
