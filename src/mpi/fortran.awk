# Generates the wrappers of Fortran functions: make=fortran of generate.awk, which has read the traits
# and the exports and declarations of MPI. The fourth file, from `generate`, describes each library
# linked into Fortran programs:
#   library PATH SONAME
#   has NAME       it defines this function
#   calls NAME     it calls this function of another library
#   common NAME    it has this common block, whose address is a constant (MPI_IN_PLACE)
#
# A function has a wrapper unless it calls the C function, which has one. If a library calls both
# MPI_NAME and PMPI_NAME, functions of mpif.h and the module mpi call the former: this is the case in
# MPICH, whose mpi_f08 calls PMPI for functions without a buffer. File functions are different there: a
# file handle is not an integer, so they call MPI_File_f2c, which is not a call of the program.
# ftests/mpi_calls.sh tests the path of each call.

file == 4 && $1 == "library" {
    path_of[++nlibraries] = $2
    soname_of[nlibraries] = $3 ? $3 : $2
}
file == 4 && $1 == "calls" { calls[nlibraries, $2] = 1 }
file == 4 && $1 == "common" && !($2 in is_common) {
    is_common[$2] = 1
    common[++ncommons] = $2
}
file == 4 && $1 == "has" {
    has[$2] = nlibraries
    if ($2 ~ /^mpix?_[a-z0-9_]*[a-z0-9]_$/) symbol[++nsymbols] = $2
}

# ---- Selection of functions ------------------------------------------------------------------------

# Return the C function of Fortran's function NAME: mpi_send_, mpi_send_f08_, ..._f08_large_, ..._f08ts_.
function function_of(name,    base, large) {
    base = name
    sub(/_$/, "", base)
    large = sub(/_large$/, "", base)
    sub(/_f08(ts)?$/, "", base)
    sub(/_cptr$/, "", base)
    if (large) base = base "_c"
    return base in spelled ? spelled[base] : ""
}

function twin_of(name,    twin) {
    if (("p" name) in has) return "p" name
    twin = name
    if (name ~ /_f08/ && sub(/^mpix?/, "p&r", twin) && twin in has) return twin
    return ""
}

function is_wanted(name, c) {
    if (!twin_of(name)) return 0
    if ((has[name], "MPI_File_f2c") in calls && parameters[c] ~ /MPI_File /) return 1
    return !((has[name], c) in calls) || (name ~ /_f08/ && ((has[name], "P" c) in calls))
}

# ---- Arguments -------------------------------------------------------------------------------------

# Map C's argument I of NAME to Fortran's argument place[i], or to none (0).
function place_arguments(name,    i, n) {
    if (!(name in traced)) {
        traced[name] = event(name) # of trace.awk
        traced[name] = traced[name] found
    }
    nc = split_parameters(parameters[name])
    n = 0
    for (i = 1; i <= nc; i++)
        place[i] = parameter[i] ~ /char \*\*\*|int \*a1$/ &&
            name ~ /^MPI_(Init|Init_thread|Info_create_env)$/ || parameter[i] == "..." ? 0 : ++n
    nfortran = n
    has_error = returned[name] == "int" && name != "MPI_Pcontrol"
    if (has_error) nfortran++
    # Lengths of strings follow all other arguments.
    nall = nfortran
    for (i = 1; i <= nc; i++)
        if (parameter[i] ~ /char/ && place[i]) nall++
}

# Return whether the wrapper of NAME examines argument I.
function is_used(name, i,    r, list, part, n, k, key) {
    r = row(name)
    if (place[i] && traced[name] ~ "[^a-z0-9_]a" i "[^0-9]") return 1
    if (place[i] && parameter[i] ~ /^MPI_File a/) return 1 # file statistics need all arguments
    if (!r || !place[i]) return 0
    if (class[r] == "hand") return 1
    n = split("status request sync probe tag comm to from message file at", key, " ")
    for (k = 1; k <= n; k++)
        if (trait[r, key[k]] == i) return 1
    if (!((r, "amount") in trait)) return 0
    list = trait[r, "amount"]
    gsub(/[^0-9,]/, ",", list)
    return ("," list ",") ~ ("," i ",")
}

# Convert Fortran's handle at F to C.
function handle(type, f) { return "GPTL_MPIF_" (type == "MPI_File" ? "FILE(" : "HANDLE(" substr(type, 5) ", ") f ")" }

# Return the position of the length of string argument I.
function length_of(i,    k, n) {
    n = nfortran
    for (k = 1; k < i; k++)
        if (parameter[k] ~ /char/ && place[k]) n++
    return n
}

# Return the expression for argument I of the C function, and collect related statements: `declared`
# before the call, `always` and `after` (on success) after the call of the PMPI entry point, `released`
# at the end.
function convert(name, i,    t, f, type, a, ending) {
    t = parameter[i]
    a = "a" i
    f = "f[" (place[i] - 1) "]"
    type = t
    gsub(/const |\*|\[.*|a[0-9]+$| /, "", type)
    sub(/a[0-9]+$/, "", type)
    ending = t ~ /[*\[]/
    if (!is_used(name, i)) return ending ? "NULL" : (type ~ /^MPI_(Aint|Count|Offset|Fint)$|^int$/ ? "0" : "(" type ")0")
    if (!ending) {
        if (type == "int" || type ~ /^MPI_(Aint|Count|Offset|Fint)$/) return "*(const " type " *)" f
        return handle(type, f)
    }
    if (type == "char") {
        declared = declared "    struct gptl_mpif_array text" i ";\n"
        released = released "    gptl_mpif_release(&text" i ");\n"
        return "gptl_mpif_text(&text" i ", " f ", (size_t)(uintptr_t)f[" length_of(i) "])"
    }
    if (type == "MPI_File") { # MPICH terminates the program if the handle is invalid
        declared = declared "    MPI_File c" i " = " (name == "MPI_File_open" ? "(MPI_File)0" : handle(type, f)) ";\n"
        after = after "        *" a " = " handle(type, f) ";\n"
        return "&c" i
    }
    if (type == "void") return "(void *)(uintptr_t)gptl_mpif_buffer(" f ")"
    if (type == "MPI_Status") {
        passed_on[place[i]] = "GPTL_MPIF_STATUS(" a ", " f ")"
        return "gptl_mpif_status(" f ")"
    }
    if (type == "MPI_Request" && name ~ /^MPI_((Wait|Test)(all|any|some)|Startall)$/) {
        declared = declared "    struct gptl_mpif_array requests;\n"
        always = always "    gptl_mpif_requests_after(" a ", " f ", *(const int *)f[0]);\n"
        released = released "    gptl_mpif_release(&requests);\n"
        return "gptl_mpif_requests(&requests, " f ", *(const int *)f[0])"
    }
    if (type == "MPI_Datatype" && row(name) ~ /lltoallw/) {
        declared = declared "    struct gptl_mpif_array types" i ";\n    types" i ".taken = NULL;\n"
        released = released "    gptl_mpif_release(&types" i ");\n"
        # Data sent in place lacks separate types.
        return (i < 5 ? "gptl_mpif_buffer(f[0]) == MPI_IN_PLACE ? NULL : " : "") "gptl_mpif_types(&types" \
            i ", " f ", " name_of_comm() ", " (row(name) ~ /eighbor/ ? "true" : "false") ", " \
            (i < 5 ? "true" : "false") ")"
    }
    if (type ~ /^MPI_(Comm|Datatype|Errhandler|Info|Message|Op|Request|Session|Win)$/ && t !~ /const/) {
        # An output argument may contain any value before the call.
        declared = declared "    " type " c" i " = " (class[row(name)] == "hand" || type == "MPI_Message" || name == "MPI_Win_free" ? \
            handle(type, f) : "(" type ")0") ";\n"
        always = always "    *" a " = " handle(type, f) ";\n"
        return "&c" i
    }
    if (type == "int" && name ~ /^MPI_(Wait|Test)any$/ && i == 3) {
        declared = declared "    int index = MPI_UNDEFINED;\n"
        after = after "    gptl_mpif_indexes_after(" a ", " f ", 1, gptl_mpif_first(twin, " nall "));\n"
        return "&index"
    }
    if (type == "int" && name ~ /^MPI_(Wait|Test)some$/ && i == 4) {
        declared = declared "    struct gptl_mpif_array indexes;\n"
        after = after "    gptl_mpif_indexes_after(" a ", " f ", *a3, gptl_mpif_first(twin, 0));\n"
        released = released "    gptl_mpif_release(&indexes);\n"
        return "gptl_mpif_indexes(&indexes, *(const int *)f[0])"
    }
    if (type == "int" || type ~ /^MPI_(Aint|Count|Offset)$/) return f
    return "NULL"
}

function name_of_comm(    i) {
    for (i = 1; i <= nc; i++)
        if (parameter[i] ~ /^MPI_Comm /) return "GPTL_MPIF_HANDLE(Comm, f[" (place[i] - 1) "])"
}

# ---- Output ----------------------------------------------------------------------------------------

# Repeat TEXT N times, each with a number.
function repeated(text, n,    i, made) {
    made = ""
    for (i = 1; i <= n; i++) made = made (i > 1 ? ", " : "") text (text ~ /f$/ ? i : "")
    return n ? made : "void"
}

# Print two functions for C's NAME: the replacement of its PMPI entry point, and the call of its wrapper.
function through(name,    i, given, arguments, result, twin) {
    place_arguments(name)
    split("", passed_on)
    declared = always = after = released = given = ""
    for (i = 1; i <= nc; i++)
        if (parameter[i] != "...") given = given (given ? ", " : "") convert(name, i)
    arguments = ""
    for (i = 1; i <= nall; i++)
        arguments = arguments (i > 1 ? ", " : "") (i in passed_on ? passed_on[i] : "f[" (i - 1) "]")
    print "\n/* " name " */\n"
    print "static " returned[name] " (*real_" name ")(" parameters[name] ");\n"
    print "static " returned[name] " either_" name "(" parameters[name] ")\n{"
    print "    if (!gptl_mpif_is_for(&real_" name "))\n        return real_" name "(" passed[name] ");"
    if (nall)     print "    void **f = gptl_mpif_call.f;"
    result = returned[name] == "int" ? "void" : returned[name]
    print "    gptl_mpif_function *twin = gptl_mpif_call.twin;"
    twin = "((" result " (*)(" repeated("void *", nall) "))twin)(" arguments ")"
    print "    " (result == "void" ? "" : "return ") twin ";"
    if (result == "void") {
        printf "%s", always
        if (has_error) print "    int rc = *(const int *)f[" (nfortran - 1) "];"
        if (after) print "    if (rc == MPI_SUCCESS || rc == MPI_ERR_IN_STATUS) {\n" after "    }"
        print "    return " (has_error ? "rc" : "MPI_SUCCESS") ";"
    }
    print "}\n"
    print "static " result " through_" name "(void **f, gptl_mpif_function *twin)\n{"
    print "    static gptl_mpif_function *wrapper;"
    if (has_error) print "    int own = MPI_SUCCESS;\n    if (!f[" (nfortran - 1) "])\n        f[" (nfortran - 1) "] = &own;"
    printf "%s", declared
    print "    gptl_mpif_function *found = GPTL_MPIF_KEPT(wrapper, gptl_mpif_find_wrapper, \"" name "\");"
    print "    GPTL_MPIF_PUT_BEFORE(" name ");"
    print "    gptl_mpif_call = (struct gptl_mpif_call){&real_" name ", f, twin};"
    print "    " (result == "void" ? "" : result " result = ") "((" returned[name] \
        " (*)(" parameters[name] "))found)(" given ");"
    printf "%s", released
    print (result == "void" ? "" : "    return result;\n") "}"
}

function fortran_wrapper(name, c,    i, twin, list, result) {
    place_arguments(c)
    twin = twin_of(name)
    list = nall ? repeated("void *f", nall) : "void"
    result = returned[c] == "int" ? "void" : returned[c]
    print "\nextern gptl_mpif_function " twin " __attribute__((weak));"
    print result " " name "(" list ");"
    print "GPTL_MPI_WRAPPER " result " " name "(" list ")\n{"
    print "    static gptl_mpif_function *twin = " twin ";"
    print "    void *f[] = {" (nall ? repeated("f", nall) : "NULL") "};"
    print "    " (result == "void" ? "" : "return ") "through_" c "(f, GPTL_MPIF_KEPT(twin, gptl_mpif_find, \"" twin "\"));"
    print "}"
}

# Print references to the common blocks. The program contains these blocks too, and MPI compares addresses
# with its own blocks. Both are the same block if the linker exports the program's, which it does if a
# shared library references it. MPI itself may not be among the libraries: --as-needed drops it if this
# library defines all functions of a program.
function make_constants(    i) {
    for (i = 1; i <= ncommons; i++) print "extern const char " common[i] "[] __attribute__((weak));"
    print "__attribute__((used)) static const char *const constants[] = {"
    for (i = 1; i <= ncommons; i++) print "    " common[i] ","
    print "    NULL,\n};"
}

function make_fortran(    i, k, c, done, twins) {
    print "#include \"config.h\"\n\n#include \"mpi/fortran.h\""
    print "\n#pragma GCC diagnostic ignored \"-Wunused-parameter\""
    print "#pragma GCC diagnostic ignored \"-Wcast-function-type\""
    for (i = 1; i <= nfunctions; i++) spelled[tolower(order[i])] = order[i]
    for (i = 1; i <= nsymbols; i++) {
        c = function_of(symbol[i])
        if (!c || !is_wanted(symbol[i], c)) continue
        if (!(c in done)) through(c)
        done[c] = 1
        fortran_wrapper(symbol[i], c)
        twins[has[twin_of(symbol[i])]] = 1
    }
    print ""
    make_constants()
    print "\nconst char *const gptl_mpif_libraries[] = {"
    for (i = 1; i <= nlibraries; i++)
        if (i in twins) print "    \"" soname_of[i] "\", \"" path_of[i] "\","
    print "    NULL,\n};"
}
