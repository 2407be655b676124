/* program.c - examines the program file of a command. */
#include "config.h"

#include "postproc/run/program.h"

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "postproc/child.h"

static bool read_head(const char *file, ElfW(Ehdr) * head)
{
    FILE *f = fopen(file, "rbe");
    bool is_program =
        f && fread(head, sizeof *head, 1, f) == 1 && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0;
    if (f)
        fclose(f);
    return is_program;
}

bool run_is_of_other_abi(const char *file)
{
    ElfW(Ehdr) head, own;
    return read_head(file, &head) && read_head("/proc/self/exe", &own) &&
           (head.e_ident[EI_CLASS] != own.e_ident[EI_CLASS] || head.e_machine != own.e_machine);
}

bool run_find_interpreter(const char *word, char *file, char *interpreter)
{
    FILE *f = gptl_child_open(word, file, PATH_MAX);
    ElfW(Ehdr) head;
    ElfW(Phdr) part = {.p_type = PT_NULL};
    if (!f)
        return false;
    *interpreter = '\0';
    bool is_ours = fread(&head, sizeof head, 1, f) == 1 &&
                   memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_phentsize == sizeof part &&
                   fseek(f, (long)head.e_phoff, SEEK_SET) == 0;
    for (int i = 0; is_ours && i < head.e_phnum && part.p_type != PT_INTERP; i++)
        is_ours = fread(&part, sizeof part, 1, f) == 1;
    if (is_ours && part.p_type == PT_INTERP)
        is_ours = part.p_filesz <= PATH_MAX && fseek(f, (long)part.p_offset, SEEK_SET) == 0 &&
                  fread(interpreter, part.p_filesz, 1, f) == 1;
    fclose(f);
    return is_ours;
}
