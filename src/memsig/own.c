/*
 * own.c - blocks of the library: they run unmodified, except for starts and stops, whose name
 * argument is read at the first instruction, and for MPI wrappers.
 */
#include "code.h"
#include "regions.h"

#include "libvex_guest_amd64.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_machine.h"

Bool memsig_is_own(DiEpoch epoch, Addr address)
{
    const HChar *found;
    if (VG_(get_objname)(epoch, address, &found) &&
        VG_(strncmp)(VG_(basename)(found), "libgptl", 7) == 0)
        return True;
    /* the library may be linked statically */
    return VG_(get_fnname)(epoch, address, &found) &&
           (VG_(strncmp)(found, "GPTL", 4) == 0 || VG_(strncmp)(found, "gptl_", 5) == 0);
}

/* Insert the helper call at the first instruction of a function that starts or stops a region. */
static void put_entry(IRSB *out, const struct entry *entry)
{
    static const Int registers[] = {
        offsetof(VexGuestAMD64State, guest_RDI), offsetof(VexGuestAMD64State, guest_RSI),
        offsetof(VexGuestAMD64State, guest_RDX), offsetof(VexGuestAMD64State, guest_RSP)};
    HWord *const to[] = {&memsig_arguments.first, &memsig_arguments.second, &memsig_arguments.third,
                         &memsig_arguments.stack_pointer};
    for (UInt i = 0; i < sizeof to / sizeof *to; i++)
        addStmtToIRSB(out, IRStmt_Store(Iend_LE, memsig_number((ULong)(UWord)to[i]),
                                        memsig_register(out, registers[i])));
    memsig_call(out, entry->name, entry->helper, mkIRExprVec_0(), NULL);
}

static Bool is_wrapper(DiEpoch epoch, Addr address, const HChar **name)
{
    return VG_(get_fnname_if_entry)(epoch, address, name) && VG_(strncmp)(*name, "MPI_", 4) == 0;
}

/* Insert the helper calls for MPI wrappers: at the start of a wrapper, and where it may end. */
static void put_wrapper(IRSB *out, const IRSB *in, Int first, DiEpoch epoch, Addr address)
{
    const HChar *name;
    const Int rsp = offsetof(VexGuestAMD64State, guest_RSP);
    if (is_wrapper(epoch, address, &name)) {
        struct name *kept = memsig_name(name, (UInt)VG_(strlen)(name));
        memsig_call(out, "memsig_enter_wrapper", &memsig_enter_wrapper,
                    mkIRExprVec_2(memsig_number((ULong)(UWord)kept), memsig_register(out, rsp)),
                    NULL);
    }
    for (; first < in->stmts_used; first++)
        addStmtToIRSB(out, in->stmts[first]);
    if (in->jumpkind == Ijk_Call)
        memsig_call(out, "memsig_wrapper_calls", &memsig_wrapper_calls, mkIRExprVec_0(), NULL);
    else if (in->jumpkind == Ijk_Boring && in->next->tag != Iex_Const)
        memsig_call(out, "memsig_wrapper_jumps", &memsig_wrapper_jumps,
                    mkIRExprVec_1(memsig_register(out, rsp)), NULL);
    else if (in->jumpkind == Ijk_Ret)
        memsig_call(out, "memsig_leave_wrapper", &memsig_leave_wrapper,
                    mkIRExprVec_1(memsig_register(out, rsp)), NULL);
}

void memsig_put_own(IRSB *out, const IRSB *in, Int first, DiEpoch epoch, Addr address)
{
    const HChar *function, *object;
    if (VG_(get_objname)(epoch, address, &object) &&
        VG_(strncmp)(VG_(basename)(object), "libgptl_mpi", 11) == 0) {
        put_wrapper(out, in, first, epoch, address);
        return;
    }
    const struct entry *entry =
        VG_(get_fnname_if_entry)(epoch, address, &function) ? memsig_entry_of(function) : NULL;
    if (entry)
        put_entry(out, entry);
    for (; first < in->stmts_used; first++)
        addStmtToIRSB(out, in->stmts[first]);
}
