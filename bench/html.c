/*
 * html.c - the page of gptl report --html: the time to create it from a profile of 1,000,000 and of
 * 50,000 nodes, and the response time of the latter in a browser (html.py).
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gptl.h>

/* Write a JSON report of a tree of NODES nodes. */
static void give_profile(long nodes)
{
    bench_library(NULL);
    bench_intern_names();
    bench_grow_tree(nodes);
    if (GPTLpr_file("profile"))
        bench_stop(1, "GPTLpr_file failed");
    bench_give((double)nodes);
    bench_close();
}

static void make_page(const char *nodes, const char *work, const char *target)
{
    double value, begin;
    char figure[32];
    struct stat page = {0};

    if (bench_child("output=json;memory=1g", nodes, &value, 1))
        bench_stop(1, "a child process made no profile");
    begin = bench_seconds();
    if (system(BENCH_GPTL " report --html page.html profile.json"))
        bench_stop(1, "gptl report failed");
    snprintf(figure, sizeof figure, "%.2f s", bench_seconds() - begin);
    stat("page.html", &page);
    printf("# the page has %.1f MB\n", (double)page.st_size / 1048576);
    bench_row_text(work, "-", figure, NAN, target);
    remove("profile.json");
}

/* Output of html.py: lines with a name, a figure and a target, separated by tabs. */
static void ask_browser(void)
{
    char line[256];
    FILE *from = popen("for python in python3 /usr/bin/python3; do"
                       "  if \"$python\" -c 'import selenium' 2>/dev/null; then"
                       "    exec \"$python\" " BENCH_HTML_PY " page.html; fi; done; exit 77",
                       "r");

    while (from && fgets(line, sizeof line, from)) {
        char *figure = strchr(line, '\t'), *target = figure ? strchr(figure + 1, '\t') : NULL;
        if (!target)
            continue;
        *figure++ = *target++ = '\0';
        target[strcspn(target, "\n")] = '\0';
        bench_row_text(line, "-", figure, NAN, target);
    }
    if (!from || pclose(from))
        printf("# no answer from a browser: chromium, chromium-driver and python3-selenium are "
               "needed\n");
    if (system("rm -rf browser page.html"))
        printf("# the browser's files stay\n");
}

int main(int argc, char **argv)
{
    if (argc > 1)
        give_profile(atol(argv[1]));
    bench_open();
    bench_enter_tempdir();
    make_page("1000000", "html, 1M nodes: made", "under 5 s");
    make_page("50000", "html, 50k nodes: made", "shown");
    ask_browser();
    bench_close();
}
