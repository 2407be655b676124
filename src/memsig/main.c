/* main.c - Valgrind's interface to the tool: options and callbacks. */
#include "blocks.h"
#include "branches.h"
#include "core.h"
#include "memsig.h"
#include "pages.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_options.h"
#include "pub_tool_vki.h"

UInt memsig_nthreads;
static const HChar *folder = ".";

/*
 * Limits for intermediate writes. A killed program leaves the data of an interval earlier; the
 * interval grows so that writing takes at most a twentieth of the time.
 */
enum { PART_FOR_WRITING = 20, SLICES_BETWEEN_LOOKS = 16 };
static UInt interval_ms = 60000;
static UInt next_write;

/*
 * Return whether the output directory still exists. A daemon that outlives the program finishes too
 * late: the directory is gone together with the consumer of the signature.
 */
static Bool is_wanted(void)
{
    struct vg_stat of;
    return !sr_isError(VG_(stat)(folder, &of));
}

static void write(Bool complete)
{
    static HChar path[4096 + 64];
    VG_(snprintf)(path, sizeof path, "%s/%d.json", folder, VG_(getpid)());
    if (!memsig_write(path, complete) && is_wanted())
        VG_(umsg)("gptl memsig: cannot write %s\n", path);
}

static void write_at_times(void)
{
    static UInt slices;
    if (++slices % SLICES_BETWEEN_LOOKS != 0)
        return;
    UInt now = VG_(read_millisecond_timer)();
    if (next_write == 0)
        next_write = now + interval_ms / 4;
    if ((Int)(now - next_write) < 0)
        return;
    write(False);
    UInt took = VG_(read_millisecond_timer)() - now;
    UInt pause = PART_FOR_WRITING * took;
    next_write = now + took + (pause > interval_ms ? pause : interval_ms);
}

/* ---- Events --------------------------------------------------------------------------------- */

static void runs(ThreadId tid, ULong dispatched)
{
    memsig_caches_of(tid);
    memsig_regions_of(tid);
    memsig_run_cores_or_not(dispatched);
    if (memsig_samples)
        memsig_sample(tid, dispatched);
    write_at_times();
}

static void thread_begins(ThreadId tid)
{
    memsig_nthreads++;
    memsig_thread_begins(tid);
}

static void forked(ThreadId tid)
{
    (void)tid;
    memsig_clear();
    memsig_clear_bursts();
    memsig_nthreads = 1;
    next_write = 0;
}

/*
 * Valgrind has discarded translations: at a burst's start or end, all of them, to be retranslated.
 */
static void discarded(Addr address, VexGuestExtents extents)
{
    (void)address;
    (void)extents;
    memsig_stale = 0;
}

static void ends(Int status)
{
    (void)status;
    memsig_end_sampling();
    write(True);
}

/* ---- Options -------------------------------------------------------------------------------- */

static Bool take_option(const HChar *option)
{
    const HChar *machine = NULL;
    static Long burst, paths, seconds;
    if (VG_STR_CLO(option, "--machine", machine)) {
        if (!memsig_add_machine(machine))
            VG_(fmsg_bad_option)(option, "this is no machine that can be simulated\n");
    } else if (VG_STR_CLO(option, "--folder", folder)) {
    } else if (VG_BOOL_CLO(option, "--only-caches", memsig_only_caches)) {
    } else if (VG_BOOL_CLO(option, "--sample", memsig_samples)) {
    } else if (VG_BINT_CLO(option, "--interval", seconds, 1, 86400)) {
        interval_ms = (UInt)seconds * 1000;
    } else if (VG_BINT_CLO(option, "--paths", paths, 0, 10000000)) {
        memsig_most_regions = (UInt)paths + 1; /* the first region is the root */
    } else if (VG_BINT_CLO(option, "--burst", burst, 100000, 1LL << 40)) {
        memsig_burst = (ULong)burst;
    } else {
        return False;
    }
    return True;
}

static void print_usage(void)
{
    VG_(printf)
    ("    --folder=DIR      writes PID.json there [.]\n"
     "    --machine=LEVEL/BYTES/LINE/WAYS/SHARED,...[;CORE]:NAME  caches and core to simulate\n"
     "    --interval=N      seconds between writing what is known [60]\n"
     "    --paths=N         of regions that are told apart, at most [20000]\n"
     "    --only-caches=no|yes  leaves out strides and working sets [no]\n"
     "    --sample=no|yes   simulates in bursts only [no]\n"
     "    --burst=N         of so many blocks [10000000]\n");
}

static void print_debug_usage(void)
{
    VG_(printf)("    (none)\n");
}

static void options_are_there(void)
{
    memsig_begin_caches();
    memsig_begin_regions();
    memsig_begin_guessing();
    if (memsig_samples)
        memsig_begin_sampling();
    VG_(atfork)(NULL, NULL, forked);
}

static void begin(void)
{
    VG_(details_name)("gptl memsig");
    VG_(details_version)(NULL);
    VG_(details_description)("what a program asks of memory and of arithmetic");
    VG_(details_copyright_author)
    ("A part of gptl; this program is under the GPL, version 2 or later.");
    VG_(details_bug_reports_to)("gptl");
    VG_(details_avg_translation_sizeB)(600);
    VG_(basic_tool_funcs)(options_are_there, memsig_instrument, ends);
    VG_(needs_command_line_options)(take_option, print_usage, print_debug_usage);
    VG_(needs_superblock_discards)(discarded);
    VG_(track_start_client_code)(runs);
    VG_(track_pre_thread_first_insn)(thread_begins);
    memsig_begin_pages();
}

VG_DETERMINE_INTERFACE_VERSION(begin)
