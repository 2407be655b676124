# Generates the wrappers of MPI functions, and the struct of the functions they call, from three files:
#   traits.def     the traits of a function by name; its head describes the rows
#   names          the functions exported by the installed MPI
#   installed.i    its declarations, preprocessed
# `generate` lists the outputs. Arguments are named a1, a2, ... here.

function fail(text) { print "generate.awk: " FILENAME ":" FNR ": " text >"/dev/stderr"; failed = 1; exit 1 }

# ---- Traits and names ------------------------------------------------------------------------------

FNR == 1 { file++ }

file == 1 {
    if (/^#/) next
    if (NF == 0) next
    if ($1 in class) fail($1 " has two rows")
    class[$1] = $2
    for (i = 3; i <= NF; i++) {
        at = index($i, "=")
        if (!at) fail("neither a key nor a value: " $i)
        trait[$1, substr($i, 1, at - 1)] = substr($i, at + 1)
    }
    next
}

file == 2 { exported[$1] = 1; next }

# ---- Declarations ----------------------------------------------------------------------------------

# Return TEXT without strings and without compiler extensions in double parentheses.
function plain(text,    at, i, depth, c) {
    gsub(/\\./, "", text)
    gsub(/"[^"]*"/, "", text)
    while ((at = match(text, /(__attribute__|__attribute|__declspec|_Static_assert) *\(/))) {
        depth = 0
        for (i = at + RLENGTH - 1; i <= length(text); i++) {
            c = substr(text, i, 1)
            if (c == "(") depth++
            if (c == ")" && --depth == 0) break
        }
        if (depth) return ""
        text = substr(text, 1, at - 1) " " substr(text, i + 1)
    }
    gsub(/(__extension__|__restrict__|__restrict|extern|__cdecl)([ \t]|$)/, " ", text)
    gsub(/[ \t\n]+/, " ", text)
    return text
}

# Split PARAMETERS into parameter[]; return their number.
function split_parameters(parameters,    n, i, c, depth, part) {
    n = 0
    depth = 0
    part = ""
    for (i = 1; i <= length(parameters) + 1; i++) {
        c = i <= length(parameters) ? substr(parameters, i, 1) : ","
        if (c == "," && depth == 0) {
            gsub(/^ +| +$/, "", part)
            parameter[++n] = part
            part = ""
            continue
        }
        if (c == "(") depth++
        if (c == ")") depth--
        part = part c
    }
    return n == 1 && parameter[1] == "void" ? 0 : n
}

# Return the parameter TEXT with the name NAME.
function renamed(text, name,    head, tail, words, n) {
    tail = ""
    if (match(text, / *\[.*$/)) {
        tail = substr(text, RSTART)
        text = substr(text, 1, RSTART - 1)
    }
    head = text
    gsub(/\*/, " * ", head)
    gsub(/^ +| +$/, "", head)
    n = split(head, words, / +/)
    # The last word is the name, unless it is part of the type.
    if (words[n] != "*" && (n > 2 || (n == 2 && words[1] !~ /^(const|unsigned|long|struct)$/)) &&
        words[n] !~ /^(int|char|void|long|MPI_[A-Z][A-Za-z_]*)$/)
        sub(/[A-Za-z_][A-Za-z0-9_]* *$/, "", text)
    sub(/ +$/, "", text)
    return text (text ~ /\*$/ ? "" : " ") name tail
}

# Open MPI's handles are addresses of data, which is referenced weakly like the functions.
function declare_data(text) {
    sub(/ *(\[[^]]*\] *)*$/, "", text)
    if (match(text, /[A-Za-z_][A-Za-z0-9_]*$/) && substr(text, RSTART) ~ /^(MPI|ompi)/)
        data[++ndata] = substr(text, RSTART)
}

function declare(text,    name, open, n, i, list, arguments) {
    is_data = text ~ /extern /
    text = plain(text)
    if (is_data && text !~ /[(]|typedef|[{}=]/) declare_data(text)
    if (text ~ /typedef|[{}=]/ || !match(text, /[ *](MPI_|MPIX_)[A-Z][A-Za-z0-9_]* *\(/)) return
    open = RSTART + RLENGTH - 1
    name = substr(text, RSTART + 1, RLENGTH - 2)
    sub(/ +$/, "", name)
    if (!(name in exported) || name in parameters) return
    returned[name] = substr(text, 1, RSTART)
    gsub(/^ +| +$/, "", returned[name])
    list = substr(text, open + 1)
    sub(/\)[^)]*$/, "", list)
    n = split_parameters(list)
    list = arguments = ""
    for (i = 1; i <= n; i++) {
        variadic[name] = parameter[i] == "..."
        list = list (i > 1 ? ", " : "") (variadic[name] ? "..." : renamed(parameter[i], "a" i))
        if (!variadic[name]) arguments = arguments (i > 1 ? ", " : "") "a" i
    }
    parameters[name] = n ? list : "void"
    passed[name] = arguments
    order[++nfunctions] = name
}

# Definitions used by the library.
file == 3 && /count_hi_and_cancelled/ { status_of = "MPICH" }
file == 3 && /[ \t]_ucount;/ { status_of = "OPENMPI" }

file == 3 && !/^#/ {
    line = $0
    while ((at = index(line, ";"))) {
        # A semicolon in a string does not end the statement.
        statement = statement substr(line, 1, at)
        line = substr(line, at + 1)
        quotes = statement
        gsub(/\\./, "", quotes)
        if (gsub(/"/, "", quotes) % 2) continue
        if (statement ~ /MPI|ompi/) declare(substr(statement, 1, length(statement) - 1))
        statement = ""
    }
    statement = statement line " "
}

# ---- Output ----------------------------------------------------------------------------------------

# Return the row of NAME; a function with large counts shares the row of its int variant.
function row(name,    base) {
    base = name
    sub(/_c$/, "", base)
    if (base ~ /_init$/) sub(/^MPIX_/, "MPI_", base)
    return name in class ? name : (base in class ? base : "")
}

function kind(name) { return row(name) ? class[row(name)] : "moves" }

# Return the value of KEY in the row of NAME; positions become arguments.
function of(name, key,    value) {
    if (!((row(name), key) in trait)) fail(name ": its row has no " key)
    value = trait[row(name), key]
    if (value ~ /^[0-9]+$/) return "a" value
    return value
}

# Return the call for an amount: bcast(2,#3) has these arguments; an array includes its element size.
function amount(name,    value, f, list, n, i, made) {
    value = of(name, "amount")
    f = value
    sub(/\(.*/, "", f)
    list = value
    sub(/^[^(]*\(/, "", list)
    sub(/\)$/, "", list)
    n = split(list, part, ",")
    made = ""
    for (i = 1; i <= n; i++) {
        if (part[i] ~ /^#/) part[i] = "a" substr(part[i], 2) ", sizeof *a" substr(part[i], 2)
        else if (part[i] ~ /^[0-9]+$/) part[i] = "a" part[i]
        made = made (i > 1 ? ", " : "") part[i]
    }
    return "gptl_mpi_amount_" f "(" made ")"
}

# Return a call of the PMPI entry point, with argument FROM (if any) replaced by TO.
function call(name, from, to,    arguments) {
    arguments = ", " passed[name] ","
    if (from) sub(", " from ",", ", " to ",", arguments)
    return "gptl_mpi_next." name "(" substr(arguments, 3, length(arguments) - 3) ")"
}

# Return the statement that begins the span of a file call; "" for other calls.
function access(name,    r, way, at) {
    r = row(name)
    if (!((r, "file") in trait)) return ""
    way = kind(name) == "posts" ? "BEGINS" : "CALL"
    if ((r, "split") in trait) way = of(name, "split") == "begin" ? "BEGINS" : "ENDS"
    at = (r, "at") in trait ? of(name, "at") : "GPTL_MPI_AT_UNKNOWN"
    if (at == "pointer") at = "GPTL_MPI_AT_POINTER"
    return "struct gptl_mpi_access access = gptl_mpi_access_begin(frame, GPTL_MPI_" way ", " \
        of(name, "file") ", GPTL_OP_" of(name, "does") ", GPTL_MPI_" \
        ((r, "collective") in trait ? "COLLECTIVE" : "ALONE") ", " at ");"
}

# Return the datatype argument of a call whose amount depends on one type with an inline size rule.
function type_of(name,    list) {
    if (!((row(name), "amount") in trait) || of(name, "amount") !~ /^(send|get|both)\(/) return ""
    split(of(name, "amount"), list, /[(,)]/)
    return "a" list[3]
}

# Return the caller's status. MPICH's MPI-IO also accepts NULL for an ignored status.
function wanted_status(name, span,    status) {
    status = of(name, "status")
    return span ? status " ? " status " : MPI_STATUS_IGNORE" : status
}

# Print a wrapper that only tests whether measurement is disabled, a fast path (short) and a slow path
# (long). Functions that prepare requests have work even if they are not measured, and file calls are
# slow: both have only the slow path.
function wrapper(name,    k, is_long, unusual, first, before, how, after, gap, span, ended, known, rest) {
    k = kind(name)
    if (k == "hand") return
    if (variadic[name]) fail(name " is variadic, and not made by hand")
    gap = "\n        "
    unusual = first = before = after = ""
    how = call(name)
    span = access(name)
    is_long = k == "prepares" || span
    ended = !span ? "" : "gptl_mpi_access_end(&access, " (span ~ /_BEGINS/ ? "rc == MPI_SUCCESS ? 0 : -1" : "-1") ");"
    if ((row(name), "sync") in trait)
        first = "gptl_mpi_sync(" of(name, "sync") ", \"sync_" substr(row(name), 5) "\");"
    if ((row(name), "probe") in trait)
        first = "gptl_mpi_probe(" of(name, "probe") ", " of(name, "tag") ", " of(name, "comm") \
            ", \"sync_" substr(row(name), 5) "\");"
    if (first) unusual = " || gptl_mpi_syncs()"
    if (k == "receives" || k == "writes") {
        how = call(name, of(name, "status"), "status")
        before = "MPI_Status own, *status = gptl_mpi_own_status(" (span ? "access.way ? &access : node" : "node") \
            ", " wanted_status(name, span) ", &own);"
        if (span)
            ended = "if (access.way)\n        gptl_mpi_access_end(&access, rc == MPI_SUCCESS ? gptl_mpi_status_bytes(status) : -1);"
        after = "gptl_mpi_" (k == "writes" ? "wrote" : "received") "(node, status);"
    } else if (k == "posts" && span) {
        ended = "gptl_mpi_access_posted(&access, rc, node, " "GPTL_MPI_" of(name, "what") ", " of(name, "request") ");"
    } else if (k == "posts") {
        after = "gptl_mpi_posted(node, " "GPTL_MPI_" of(name, "what") ", " of(name, "request") ");"
    } else if (k == "prepares") {
        after = "gptl_mpi_prepared(" "GPTL_MPI_" of(name, "what") ", " amount(name) ", " of(name, "request") ");"
    } else if (k == "forgets") {
        after = "gptl_mpi_forget(" of(name, "request") ");"
    } else if (k != "moves" && k != "noted" && k != "local") {
        fail(name ": there is no class " k)
    }
    rest = after
    known = !is_long && (k == "moves" || k == "forgets") ? type_of(name) : ""
    if (k != "prepares" && (row(name), "amount") in trait)
        after = "gptl_mpi_moved(node, " amount(name) ");" (after ? gap after : "")
    how = "    " returned[name] (returned[name] ~ /\*$/ ? "" : " ") "rc = " how ";"

    print "\n#undef " name
    print (is_long ? "GPTL_MPI_WRAPPER " returned[name] " " : \
        "static GPTL_MPI_LONG " returned[name] " long_") name "(" parameters[name] ")\n{"
    print "    char *frame = gptl_mpi_frame();"
    print "    GPTL_MPI_NEED(" name ");"
    if (first) print "    " first
    print "    void *node = gptl_mpi_begin(\"" name "\", frame);"
    if (span) print "    " span
    if (before) print "    " before
    print how
    if (ended) print "    " ended
    if (k == "prepares") {
        # Also if it is not measured, because a later start may be measured.
        print "    if (rc == MPI_SUCCESS && gptl_mpi_is_outermost(frame)) {" gap after "\n    }"
        after = ""
    }
    print "    if (!node) {\n        gptl_mpi_pass(frame);\n        return rc;\n    }"
    print "    gptl_mpi_stop(\"" name "\");"
    if (after) print "    if (rc == MPI_SUCCESS) {" gap after "\n    }"
    print "    gptl_mpi_pass(frame);\n    return rc;\n}"
    if (is_long) return
    print "\nstatic GPTL_MPI_LONG " returned[name] " short_" name "(" parameters[name] ")\n{"
    print "    if (!gptl_mpi_likely(gptl_mpi_next." name " != NULL)" unusual ")"
    print "        return long_" name "(" passed[name] ");"
    if (known) {
        # Before the call, so that its arguments need not be kept: saves 0 to 7 ns, depending on stack alignment.
        print "    if (!gptl_mpi_likely(gptl_mpi_is_sized(" known ")))"
        print "        return long_" name "(" passed[name] ");"
        print "    struct gptl_mpi_amount amount = " amount(name) ";"
        after = "gptl_mpi_moved(node, amount);" (rest ? gap rest : "")
    }
    print "    void *node = gptl_mpi_begin_short(\"" name "\", gptl_mpi_frame());"
    print "    if (!gptl_mpi_likely(node != NULL))"
    print "        return long_" name "(" passed[name] ");"
    if (before) print "    " before
    print how
    print "    gptl_mpi_stop_short(node, \"" name "\");"
    if (after) print "    if (gptl_mpi_likely(rc == MPI_SUCCESS)) {" gap after "\n    }"
    print "    gptl_mpi_leave();\n    return rc;\n}"
    print "\nGPTL_MPI_WRAPPER " returned[name] " " name "(" parameters[name] ")\n{"
    print "    if (" (k == "local" ? "(!gptl_mpi_has_all() || gptl_mpi_is_disabled())" : "gptl_mpi_is_disabled()") \
        " && gptl_mpi_next." name (first ? " && !gptl_mpi_syncs()" : "") ")"
    print "        return " call(name) ";"
    print "    return short_" name "(" passed[name] ");\n}"
}

END {
    if (failed) exit 1
    if (!nfunctions) fail("declares no function of MPI")
    if (make == "rows") {
        for (i = 1; i <= nfunctions; i++) print order[i], row(order[i]) ? kind(order[i]) : "none"
        exit
    }
    print "/* Made by src/mpi/generate: do not edit. */"
    if (make == "next") {
        print "#ifndef GPTL_MPI_MADE_NEXT_H\n#define GPTL_MPI_MADE_NEXT_H"
        print "\n#include \"mpi/installed.h\"\n"
        if (status_of) print "#define GPTL_MPI_STATUS_OF_" status_of " 1\n"
        print "#define GPTL_MPI_LIBRARY \"" soname "\"\n#define GPTL_MPI_LIBRARY_PATH \"" library "\"\n"
        print "#ifndef GPTL_MPI_STATIC"
        for (i = 1; i <= ndata; i++) print "#pragma weak " data[i]
        print "#endif"
        print "\nstruct gptl_mpi_data {"
        for (i = 1; i <= ndata; i++) print "    void *" data[i] ";"
        print "};\n#ifdef GPTL_MPI_ITS_OWN_DATA\n#define GPTL_MPI_DATA(D) \\"
        for (i = 1; i <= ndata; i++) print "    D(" data[i] ")" (i < ndata ? " \\" : "")
        print "#else"
        for (i = 1; i <= ndata; i++)
            print "#define " data[i] " (*(__typeof__(" data[i] ") *)gptl_mpi_data." data[i] ")"
        print "#endif"
        print "\nstruct gptl_mpi_next {"
        for (i = 1; i <= nfunctions; i++) {
            name = order[i]
            print "    " returned[name] " (*" name ")(" parameters[name] ");"
        }
        print "};\n"
        print "#define GPTL_MPI_FUNCTIONS(F) \\"
        for (i = 1; i <= nfunctions; i++) print "    F(" order[i] ")" (i < nfunctions ? " \\" : "")
        for (i = 1; i <= nfunctions; i++) print "#define GPTL_HAVE_" order[i] " 1"
        print "\n#endif"
    } else if (make == "notes") {
        make_notes()
    } else if (make == "trace") {
        make_trace()
    } else if (make == "fortran") {
        make_fortran()
    } else {
        print "#include \"config.h\"\n\n#include \"mpi/amounts.h\"\n#include \"mpi/file_spans.h\"\n#include \"mpi/requests.h\"\n#include \"mpi/sync.h\"\n#include \"mpi/wrap.h\""
        for (i = 1; i <= nfunctions; i++) wrapper(order[i])
    }
}
