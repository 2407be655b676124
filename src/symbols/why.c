/* why.c - the reason for a missing name, in words. */
#include "config.h"

#include "symbols/symbols.h"

const char *gptl_symbols_why(enum gptl_symbol_state state)
{
    switch (state) {
    case GPTL_SYMBOL_FOUND:
        return "it is found";
    case GPTL_SYMBOL_NO_LIBRARY:
        return "elfutils' libdw.so.1, which reads symbol tables, is not there";
    case GPTL_SYMBOL_NO_FILE:
        return "the file is not there or cannot be read";
    case GPTL_SYMBOL_NOT_ELF:
        return "the file is no program or shared library, or is broken";
    case GPTL_SYMBOL_CHANGED:
        return "the file has changed since the run: its build id is another one";
    case GPTL_SYMBOL_STRIPPED:
        return "the file was stripped of symbols, and no file with its debug information was found";
    case GPTL_SYMBOL_NO_FUNCTION:
        return "no function that has a name lies there";
    default:
        return "there is no memory";
    }
}
