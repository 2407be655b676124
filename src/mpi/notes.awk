# Generates the functions that record statistics: make=notes of generate.awk. For each function that moves
# bytes, and each file function, it prints a function that calls the previous entry of gptl_mpi_next and
# then records the call; and a table of them. notes.c installs the functions requested by options.

# Return whether NAME's first argument is a file.
function of_file(name) { return parameters[name] ~ /^MPI_File a1/ }

# Return the statements after the call of NAME, one per line; "" if nothing is recorded. Set `mask`, and
# `before` to the statements before the call.
function note(name,    k, r, has_to, quoted) {
    r = row(name)
    k = r ? kind(name) : "none"
    quoted = "\"" name "\""
    before = ""
    if ((k == "hand" && !of_file(name)) || k == "noted" || returned[name] != "int") return ""
    if (of_file(name)) {
        mask = "GPTL_MPI_NOTE_FILES | GPTL_MPI_NOTE_SIZES"
        before = "struct gptl_mpi_file_call call = gptl_mpi_file_begins();"
        if (k == "receives" || k == "writes")
            return "gptl_mpi_note_file(&call, " quoted ", a1, GPTL_MPI_" (k == "writes" ? "WRITES" : "READS") \
                ", rc == MPI_SUCCESS ? " of(name, "status") " : NULL);"
        if (k == "posts")
            return "gptl_mpi_note_file_posted(&call, " quoted ", a1, GPTL_MPI_" of(name, "what") \
                ", rc == MPI_SUCCESS ? " of(name, "request") " : NULL);"
        return "gptl_mpi_note_file(&call, " quoted ", a1, GPTL_MPI_NOTHING, NULL);"
    }
    if (!r) return ""
    has_to = ((r, "to") in trait)
    mask = ((r, "comm") in trait) && !((r, "sync") in trait) || ((r, "message") in trait) ? \
        "GPTL_MPI_NOTE_PEERS | GPTL_MPI_NOTE_SIZES" : "GPTL_MPI_NOTE_SIZES"
    if (k == "prepares") {
        if ((r, "comm") in trait)
            return "if (rc == MPI_SUCCESS)\n        gptl_mpi_note_prepared(GPTL_MPI_" of(name, "what") ", " \
                of(name, "comm") ", " (has_to ? of(name, "to") : ((r, "from") in trait) ? of(name, "from") : \
                "MPI_ANY_SOURCE") ", " amount(name) ", " of(name, "request") ");"
        return "if (rc == MPI_SUCCESS)\n        gptl_mpi_note_prepared(GPTL_MPI_NOTHING, MPI_COMM_NULL, " \
            "MPI_PROC_NULL, " amount(name) ", " of(name, "request") ");"
    }
    if ((r, "message") in trait) {
        before = "struct gptl_mpi_peers *peers = gptl_mpi_note_message_taken(" of(name, "message") ");"
        return (k == "posts" ? "gptl_mpi_note_posted(" quoted ", peers, rc == MPI_SUCCESS ? " of(name, "request") : \
            "gptl_mpi_note_received(" quoted ", peers, rc == MPI_SUCCESS ? " of(name, "status")) \
            " : NULL);\n    gptl_mpi_peers_release(peers);"
    }
    if (k == "posts")
        return "if (rc == MPI_SUCCESS)\n        gptl_mpi_note_posted(" quoted ", gptl_mpi_note_peers(" \
            of(name, "comm") "), " of(name, "request") ");"
    if (has_to || (k == "receives" && ((r, "comm") in trait))) {
        return "if (rc == MPI_SUCCESS && gptl_mpi_is_noted(" quoted ")) {" \
            (has_to ? "\n        gptl_mpi_note_sent(" quoted ", " of(name, "comm") ", " of(name, "to") ", " \
                amount(name) ");" : "") \
            ((r, "from") in trait ? "\n        gptl_mpi_note_asked(" quoted ", " of(name, "comm") ", " \
                of(name, "from") ", " amount(name) ");" : "") \
            (k == "receives" ? "\n        gptl_mpi_note_received(" quoted ", gptl_mpi_note_peers(" \
                of(name, "comm") "), " of(name, "status") ");" : "") "\n    }"
    }
    if (!((r, "amount") in trait)) return ""
    mask = "GPTL_MPI_NOTE_SIZES"
    return "if (rc == MPI_SUCCESS && gptl_mpi_is_noted(" quoted "))\n        gptl_mpi_note_amount(" quoted ", " \
        amount(name) ");"
}

function make_notes(    i, name, statements, how) {
    print "#include \"config.h\"\n\n#include \"mpi/notes.h\""
    for (i = 1; i <= nfunctions; i++) {
        name = order[i]
        statements = note(name)
        if (!statements) continue
        how = call(name)
        sub(/^gptl_mpi_next/, "gptl_mpi_under", how)
        print "\nstatic int noting_" name "(" parameters[name] ")\n{"
        print "    struct gptl_work work;\n    gptl_mpi_note_enter(&work);"
        if (before) print "    " before
        print "    int rc = " how ";"
        print "    gptl_mpi_note_returned(&work);"
        print "    " statements
        print "    gptl_mpi_note_leave(&work);\n    return rc;\n}"
        rows = rows "    GPTL_MPI_NOTER(" name ", " mask "),\n"
    }
    print "\nconst struct gptl_mpi_noter gptl_mpi_noters[] = {\n" rows "    {0, NULL, 0},\n};"
}
