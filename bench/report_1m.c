/*
 * report_1m.c - the report of a tree of 1,000,000 nodes, 10 x 100 x 1000: time, and the peak
 * resident memory during the report, including the tree, compared with the tree alone.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

#include <gptl.h>

enum { NODES = 1000000 };
enum value { SECONDS, TREE_MB, PEAK_MB, TEXT_MB, JSON_MB, XML_MB, VALUES };

/* Reset the peak: the growth of the tree's tables may have caused a higher one. */
static void reset_peak(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");

    if (file) {
        fputs("5", file);
        fclose(file);
    }
}

static double file_mb(const char *path)
{
    struct stat st;

    return stat(path, &st) ? 0 : (double)st.st_size / 1048576;
}

static void give_report(void)
{
    double before, tree, begin, seconds;

    bench_library(NULL);
    bench_run_pair(NULL, 1);
    before = bench_status_kb("VmRSS");
    bench_intern_names();
    bench_grow_tree(NODES);
    tree = bench_status_kb("VmRSS");
    reset_peak();
    begin = bench_seconds();
    if (GPTLpr_file("report"))
        bench_stop(1, "GPTLpr_file failed");
    seconds = bench_seconds() - begin;
    bench_give(seconds);
    bench_give((tree - before) / 1024);
    bench_give((bench_status_kb("VmHWM") - before) / 1024);
    bench_give(file_mb("report"));
    bench_give(file_mb("report.json"));
    bench_give(file_mb("report.xml"));
    remove("report");
    remove("report.json");
    remove("report.xml");
    bench_close();
}

static void show(const char *options, const char *work, const char *time_target,
                 const char *memory_target)
{
    double value[VALUES];
    char tree[32], figure[32], label[64];

    if (bench_child(options, "report", value, VALUES))
        bench_stop(1, "a child process gave no figures");
    printf("# written: text %.1f MB, JSON %.1f MB, XML %.1f MB\n", value[TEXT_MB], value[JSON_MB],
           value[XML_MB]);
    snprintf(figure, sizeof figure, "%.2f s", value[SECONDS]);
    bench_row_text(work, "-", figure, NAN, time_target);
    snprintf(label, sizeof label, "%s: peak to tree", work);
    snprintf(tree, sizeof tree, "%.0f MB", value[TREE_MB]);
    snprintf(figure, sizeof figure, "%.0f MB", value[PEAK_MB]);
    bench_row_text(label, tree, figure, value[PEAK_MB] / value[TREE_MB], memory_target);
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        give_report();
    bench_open();
    bench_enter_tempdir();
    show("output=text,json", "report, 1M nodes, text+JSON", "under 3 s", "at most 2x");
    show("output=text", "report, 1M nodes, text", "shown", "shown");
    show("output=json", "report, 1M nodes, JSON", "shown", "shown");
    show("output=xml", "report, 1M nodes, XML", "shown", "shown");
    bench_close();
}
