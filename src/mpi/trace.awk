# Generates the functions that trace calls: make=trace of generate.awk. For each function with a trace
# event, it prints a function that calls the previous entry of gptl_mpi_next and then records the
# requested operation; and a table of them.

# Return NAME without the prefix and suffixes of its variant.
function stem(name) {
    sub(/^MPIX?_/, "", name)
    sub(/_c$/, "", name)
    sub(/_init$/, "", name)
    if (name ~ /^I[a-z]/ && name !~ /^I(nfo|nter|nit|s_|probe|mprobe)/)
        name = toupper(substr(name, 2, 1)) substr(name, 3)
    return name
}

# Return the last parameter of this type: "a5"; "" if it is missing.
function parameter_of(name, type,    list, n, i, found) {
    n = split(parameters[name], list, ", ")
    for (i = 1; i <= n; i++)
        if (list[i] ~ "^" type "a[0-9]+$") found = "a" i
    return found
}

# Return the continuation of the call: a value of struct gptl_mpi_trace_way.
function way(name,    request) {
    request = parameter_of(name, "MPI_Request \\*")
    return "(struct gptl_mpi_trace_way){" (request ? request : "NULL") ", " \
        (name ~ /_init(_c)?$/ ? "true" : "false") "}"
}

function is_message(name) { return stem(name) ~ /^([BSR]?[Ss]end|Recv)$/ }

function message(name,    mode) {
    if (stem(name) == "Recv")
        return parameter_of(name, "MPI_Request \\*") ? \
            "gptl_mpi_trace_irecv(&call, " way(name) ", a1, a2, a3, a4, a5, a6);" : \
            "gptl_mpi_trace_recv(&call, a1, a2, a3, a6, status);"
    mode = stem(name) ~ /^B/ ? "BUFFERED" : stem(name) ~ /^Ss/ ? "SYNCHRONOUS" : \
        stem(name) ~ /^R/ ? "READY" : "STANDARD"
    return "gptl_mpi_trace_send(&call, " way(name) ", GPTL_TI_" mode ", a1, a2, a3, a4, a5, a6);"
}

# Return the statement for a collective; the arguments of the row's amount describe the operation.
function collective(name,    f, list, n, i, made, blocks, comm) {
    comm = parameter_of(name, "MPI_Comm ")
    if (stem(name) == "Barrier")
        return "gptl_mpi_trace_plain(&call, " way(name) ", GPTL_TI_BARRIER, " comm ");"
    f = amount(name)
    list = f
    sub(/\(.*/, "", f)
    sub(/^gptl_mpi_amount_/, "", f)
    sub(/^[^(]*\(/, "", list)
    sub(/\)$/, "", list)
    if (f !~ /^neighbor_/)
        return "gptl_mpi_trace_" f "(&call, " way(name) ", GPTL_TI_" toupper(stem(name)) ", " list \
            (f == "both" ? ", " comm : "") ");"
    n = split(list, part, ", ")
    if (f ~ /alltoall[vw]$/)
        blocks = ".counts = " part[1] ", .size = " part[2] ", .type" (f ~ /w$/ ? "s" : "") " = " part[3]
    else
        blocks = ".count = " part[1] ", .type = " part[2]
    return "gptl_mpi_trace_neighbors(&call, " way(name) ",\n            (struct gptl_mpi_trace_blocks){" \
        blocks "}, " comm ");"
}

function is_collective(name) {
    return parameters[name] !~ /MPI_Win|MPI_File/ && parameter_of(name, "MPI_Comm ") && \
        (stem(name) == "Barrier" || \
         (row(name) && (row(name), "amount") in trait && !is_message(name) && !((row(name), "to") in trait) && \
          !((row(name), "from") in trait)))
}

# Return whether NAME moves data and is complete on return.
function has_buffers(name) {
    return stem(name) != "Barrier" && !parameter_of(name, "MPI_Request \\*") && amount(name) !~ /neighbor_/
}

# Return the statement for the buffers of a collective that only moves data, or "".
function moved(name) {
    if (!is_collective(name) || name ~ /_init(_c)?$/ || stem(name) !~ /^(Bcast|(Gath|Allgath|Scatt)erv?|Alltoall[vw]?)$/)
        return ""
    return "gptl_mpi_trace_moved(&call, " amount(name) ",\n            a1, " parameter_of(name, "void \\*") ");"
}

# Return the statement for one-sided communication or its synchronization, or "".
function onesided(name,    s, target, what) {
    s = stem(name)
    if (s ~ /^R?([Pp]ut|[Gg]et|[Aa]ccumulate|[Gg]et_accumulate)$|^(Fetch_and_op|Compare_and_swap)$/) {
        target = s ~ /et_accumulate$/ ? "a7" : s ~ /swap$/ ? "a5" : "a4"
        return "gptl_mpi_trace_onesided(&call, " way(name) ", " amount(name) ",\n            " target ", " \
            parameter_of(name, "MPI_Win ") ");"
    }
    if (s ~ /^Win_(create|allocate|allocate_shared|create_dynamic)$/)
        return "gptl_mpi_trace_window_made(&call, " parameter_of(name, "MPI_Comm ") ", " \
            parameter_of(name, "MPI_Win \\*") ");"
    if (s == "Win_free") {
        found = "int64_t window = gptl_mpi_trace_window(&call, a1);"
        return "gptl_mpi_trace_window_freed(&call, window);"
    }
    if (s ~ /^Win_(post|start)$/)
        return "gptl_mpi_trace_epoch_of(&call, GPTL_TI_" toupper(substr(s, 5)) ", a1, a3);"
    if (s !~ /^Win_(fence|complete|wait|test|(un)?lock(_all)?|flush(_local)?(_all)?)$/)
        return ""
    what = toupper(substr(s, 5))
    sub(/(_LOCAL)?(_ALL)?$/, "", what)
    sub(/^(WAIT|TEST)$/, "EXPOSED", what)
    target = s ~ /_all$/ ? "" : s == "Win_lock" ? "a2" : s ~ /unlock|flush/ ? "a1" : ""
    what = "gptl_mpi_trace_epoch" (target ? "_at" : "") "(&call, GPTL_TI_" what ", " \
        (target ? target ", " : "") parameter_of(name, "MPI_Win ") ");"
    return s == "Win_test" ? "*a2 ? " substr(what, 1, length(what) - 1) " : gptl_mpi_trace_passed(&call);" : what
}

# Return whether NAME is recorded as not replayed: files, processes created later.
function is_other(name) {
    return name ~ /^MPI_(File|Win)_/ && name !~ /_(get|set)_(attr|name|info|errhandler|group|amode|atomicity|byte_offset|position|size|type_extent|view)|keyval|errhandler|delete_attr|_f2c|_c2f|shared_query/ || \
        name ~ /^MPI_Comm_(spawn|spawn_multiple|accept|connect|join|disconnect)$/ || \
        name ~ /^MPIX?_(P(send|recv)_init|Isendrecv(_replace)?)(_c)?$/
}

# Return the statements after the call of NAME; "" if nothing is traced. Set `called`, and `found` to the
# statements that examine arguments before the call.
function event(name,    r, k, made, statement) {
    r = row(name)
    k = r ? kind(name) : "none"
    called = call(name)
    own = found = ""
    if (returned[name] != "int" || variadic[name]) return ""
    statement = onesided(name)
    if (statement) return statement
    if (is_other(name)) return "gptl_mpi_trace_other(&call, \"" name "\");"
    if (is_message(name) || name ~ /^MPI_Sendrecv(_replace)?(_c)?$/) {
        if (k == "receives") {
            own = of(name, "status")
            called = call(name, own, "status")
        }
        if (is_message(name)) return message(name)
        return "gptl_mpi_trace_sendrecv(&call, a1, a2, a3, a4, a5,\n            " (name ~ /replace/ ? "a1, a2, a3, a6, a8" : "a6, a7, a8, a9, a11") ", status);"
    }
    if (name ~ /^MPI_Imrecv/ || name ~ /^MPI_Mrecv/) return "gptl_mpi_trace_nothing(&call, " way(name) ");"
    made = parameter_of(name, "MPI_Comm \\*")
    if (made && parameter_of(name, "MPI_Comm ") && name !~ /get_parent|free|disconnect/) {
        if (parameter_of(name, "MPI_Request \\*"))
            return "gptl_mpi_trace_being_made(&call, " way(name) ", a1, *" made ");"
        if (name == "MPI_Comm_create_group") # only who is in the group calls it
            return "gptl_mpi_trace_made(&call, a1, a3, *" made ", *" made ");"
        if (name == "MPI_Intercomm_create") # the two sides have different parents
            return "gptl_mpi_trace_made(&call, MPI_COMM_NULL, a5, a1, *" made ");"
        return "gptl_mpi_trace_made(&call, a1, GPTL_TI_ANY, a1, *" made ");"
    }
    if (!is_collective(name)) return ""
    if (has_buffers(name)) found = "gptl_mpi_trace_count(&call);"
    return collective(name)
}

function make_trace(    i, name, statements, after, rows) {
    print "#include \"config.h\"\n\n#include \"mpi/trace.h\""
    for (i = 1; i <= nfunctions; i++) {
        name = order[i]
        statements = event(name)
        if (!statements) continue
        sub(/^gptl_mpi_next/, "gptl_mpi_untraced", called)
        print "\nstatic int tracing_" name "(" parameters[name] ")\n{"
        print "    struct gptl_mpi_trace_call call;"
        if (own) print "    MPI_Status told, *status = " own " == MPI_STATUS_IGNORE ? &told : " own ";"
        print "    gptl_mpi_trace_enter(&call);"
        if (found) print "    " found
        print "    int rc = " called ";"
        after = moved(name)
        print "    if (gptl_mpi_trace_returned(&call, rc))" (after ? " {" : "")
        if (after) print "        " after
        print "        " statements
        if (after) print "    }"
        print "    gptl_mpi_trace_leave(&call);\n    return rc;\n}"
        rows = rows "    GPTL_MPI_TRACER(" name "),\n"
    }
    print "\nconst struct gptl_mpi_tracer gptl_mpi_tracers[] = {\n" rows "    {0, NULL},\n};"
}
