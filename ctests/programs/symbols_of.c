/*
 * symbols_of.c - symbols_of [-d DEBUG_DIR]... FILE BUILD_ID OFFSET...: for each a line with the
 * name, the name as in the source, and FILE:LINE; or the reason for its absence.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/symbols.h"

int main(int argc, char **argv)
{
    struct gptl_symbols *symbols = gptl_symbols_open();
    int i = 1;
    for (; i + 1 < argc && strcmp(argv[i], "-d") == 0; i += 2)
        gptl_symbols_debug_dir(symbols, argv[i + 1]);
    struct gptl_symbol_module module = {argv[i], argv[i + 1]};
    for (i += 2; i < argc; i++) {
        struct gptl_symbol found;
        uint64_t offset = strtoull(argv[i], NULL, 16);
        enum gptl_symbol_state state = gptl_symbols_find(symbols, &module, offset, &found);
        if (state != GPTL_SYMBOL_FOUND) {
            puts(gptl_symbols_why(state));
            continue;
        }
        char *name = gptl_symbols_demangle(found.name, found.file);
        printf("%s %s:%d %s\n", found.name, found.file ? found.file : "??", found.line, name);
        free(name);
    }
    gptl_symbols_close(symbols);
    return 0;
}
