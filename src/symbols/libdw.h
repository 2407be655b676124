/*
 * libdw.h - the functions of libdw and libelf that this module calls, resolved at run time.
 */
#ifndef GPTL_SYMBOLS_LIBDW_H
#define GPTL_SYMBOLS_LIBDW_H

#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>

#define GPTL_LIBDW_FUNCTIONS(F)                                                                    \
    F(elf_version)                                                                                 \
    F(elf_begin)                                                                                   \
    F(elf_end)                                                                                     \
    F(elf_nextscn)                                                                                 \
    F(elf_rawdata)                                                                                 \
    F(gelf_getshdr)                                                                                \
    F(gelf_getehdr)                                                                                \
    F(dwelf_elf_gnu_build_id)                                                                      \
    F(dwfl_begin)                                                                                  \
    F(dwfl_end)                                                                                    \
    F(dwfl_report_begin)                                                                           \
    F(dwfl_report_elf)                                                                             \
    F(dwfl_report_end)                                                                             \
    F(dwfl_module_info)                                                                            \
    F(dwfl_module_getelf)                                                                          \
    F(dwfl_module_build_id)                                                                        \
    F(dwfl_module_getsymtab)                                                                       \
    F(dwfl_module_getsym_info)                                                                     \
    F(dwfl_module_getdwarf)                                                                        \
    F(dwarf_nextcu)                                                                                \
    F(dwarf_offdie)                                                                                \
    F(dwarf_ranges)                                                                                \
    F(dwarf_getsrclines)                                                                           \
    F(dwarf_onesrcline)                                                                            \
    F(dwarf_lineaddr)                                                                              \
    F(dwarf_lineno)                                                                                \
    F(dwarf_lineendsequence)                                                                       \
    F(dwarf_linesrc)

struct gptl_libdw {
#define POINTER(name) __typeof__(name) *name;
    GPTL_LIBDW_FUNCTIONS(POINTER)
#undef POINTER
};

/* Return the function table, or NULL if the library is missing. The library stays loaded. */
const struct gptl_libdw *gptl_libdw(void);

#endif
