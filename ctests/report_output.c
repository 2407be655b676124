/*
 * report_output.c - the report files of a program, as determined by options, the environment and
 * calls. Without arguments it is the test, which runs itself as the program with a word for the
 * scenario.
 */
#include <gptl.h>

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char self[4096];

/* ---- The program --------------------------------------------------------------------------- */

static void work(void)
{
    GPTLstart("main");
    GPTLstart("part");
    GPTLstop("part");
    GPTLstop("main");
}

static int in_child(void)
{
    pid_t pid = fork();
    int status;
    if (pid == 0) {
        work();
        exit(0);
    }
    return waitpid(pid, &status, 0) == pid ? status : 1;
}

static int program(const char *what)
{
    if (strcmp(what, "early") == 0)
        return GPTLpr(0) == -1 && GPTLpr_file("a") == -1 ? 0 : 1;
    if (strcmp(what, "nothing") == 0)
        return GPTLinitialize();
    work();
    if (strcmp(what, "fork") == 0)
        return in_child();
    if (strcmp(what, "pr7") == 0)
        return GPTLpr(7);
    if (strcmp(what, "stderr") == 0)
        return GPTLpr(-1);
    if (strcmp(what, "stdout") == 0)
        return GPTLpr_file("/dev/stdout");
    if (strcmp(what, "bad") == 0)
        return GPTLpr(0) == -1 && GPTLpr_file(NULL) == -1 && GPTLpr_file("") == -1 ? 0 : 1;
    if (strcmp(what, "set") == 0) {
        if (GPTLpr_query_append() != 0 || GPTLpr_query_write() != 1)
            return 1;
        int bad = GPTLpr_set_append() || GPTLpr_query_append() != 1 || GPTLpr_query_write() != 0;
        bad = bad || GPTLpr(0) || GPTLpr(0);
        bad = bad || GPTLpr_set_write() || GPTLpr_query_append() != 0;
        return bad || GPTLpr(1) || GPTLpr(1);
    }
    return 0;
}

/* ---- The test ------------------------------------------------------------------------------ */

static int failures;

/*
 * Run the program in a new directory and compare its files, sorted, with EXPECTED. Its output goes
 * to ../out and ../err.
 */
static void run(const char *environment, const char *what, const char *expected)
{
    char command[8192], found[4096] = "";
    glob_t files;
    snprintf(command, sizeof command,
             "rm -rf d && mkdir d && cd d && %s \"%s\" %s >../out 2>../err", environment, self,
             what);
    int status = system(command);
    if (chdir("d") == 0 && glob("*", 0, NULL, &files) == 0) {
        for (size_t i = 0; i < files.gl_pathc; i++)
            snprintf(found + strlen(found), sizeof found - strlen(found), "%s%s", i ? " " : "",
                     files.gl_pathv[i]);
        globfree(&files);
    }
    if (chdir(".."))
        exit(99);
    if (status != 0 || strcmp(found, expected) != 0) {
        printf("FAILED: %s %s: exit status %d, files: %s\n  expected: %s\n", environment, what,
               status, found, expected);
        failures++;
        status = system("cat err");
    }
}

/* Run a shell command on the files of the last run: 0 is right. */
static void check(const char *command)
{
    if (system(command) != 0) {
        printf("FAILED: %s\n", command);
        failures++;
        if (system("cat err d/*"))
            failures++;
    }
}

static void check_formats(void)
{
    run("", "work", "timing.0");
    run("GPTL_OPTIONS=output=text,json", "work", "timing.0 timing.0.json");
    run("GPTL_OPTIONS=output=json", "work", "timing.0.json");
    run("GPTL_OPTIONS=output=none", "work", "");
    run("GPTL_OPTIONS=output=jsn", "work", "timing.0");
    check("grep -q 'jsn.*json' err && [ $(grep -c jsn err) = 1 ]");
    run("", "nothing", "");
    run("GPTL_OPTIONS=output=json", "pr7", "timing.7 timing.7.json");
    run("GPTL_OPTIONS=output=xml", "pr7", "timing.7 timing.7.xml");
    run("GPTL_OPTIONS=output=none", "pr7", "timing.7");
    run("GPTL_OPTIONS=output=none", "stdout", "");
    check("grep -q 'Stats for thread 0' out");
    run("", "early", "");
    run("", "stderr", "");
    check("grep -q 'Stats for thread 0' err && [ ! -s out ]");
    run("", "stdout", "");
    check("grep -q 'Stats for thread 0' out");
}

static void check_names(void)
{
    run("", "pr7", "timing.7");
    run("GPTL_OPTIONS=output.path=", "work", "timing.0");
    check("[ $(grep -c 'output.path: the value is empty' err) = 1 ]");
    run("GPTL_OPTIONS='output.path=;output='", "pr7", "timing.7");
    check("[ $(wc -l <err) = 2 ]");
    run("GPTL_OPTIONS='output.path=r{rank}.{job}.{x}' SLURM_JOB_ID=12 PMI_RANK=0", "work",
        "r0.12.{x}");
    check("grep -q '{x}' err");
    run("GPTL_OPTIONS='output.path=r{rank}.{job}.{x}' SLURM_JOB_ID=12 PMI_RANK=3", "work",
        "r3.12.{x}"); /* the first rank has reported it */
    check("! grep -q '{x}' err");
    run("GPTL_OPTIONS='output.path={host}-{program}-{pid}'", "work && mv *-*report_output-[1-9]* x",
        "x");
    run("", "fork && mv timing.0.[1-9]* child", "child timing.0");
    run("GPTL_OPTIONS='output.path=p.{pid}'", "fork && [ $(ls | wc -l) = 2 ] && rm p.[1-9]*", "");
}

static void check_ranks(void)
{
    run("PMI_RANK=3", "work", "timing.3");
    run("OMPI_COMM_WORLD_RANK=4 SLURM_PROCID=5", "work", "timing.4");
    run("SLURM_PROCID=5 GPTL_OPTIONS=onlyprint_rank0=1", "work", "");
    run("SLURM_PROCID=0 GPTL_OPTIONS=onlyprint_rank0=1", "work", "timing.0");
    run("PMIX_RANK=6 GPTL_OPTIONS=rank_stride=4", "work", "");
    run("PMIX_RANK=8 GPTL_OPTIONS=rank_stride=4", "work", "timing.8");
    run("GPTL_OPTIONS=onlyprint_rank0=1", "pr7", "");
}

static void check_append(void)
{
    const char *twice = "GPTL_OPTIONS='append=1;output=text,json'; export GPTL_OPTIONS;";
    char command[5000];
    snprintf(command, sizeof command, "%s \"%s\" work &&", twice, self);
    run(command, "work", "timing.0 timing.0.2.json timing.0.json");
    check("[ $(grep -c 'Stats for thread 0' d/timing.0) = 2 ]");
    run("", "set", "timing.0 timing.1");
    check("[ $(grep -c 'Stats for thread 0' d/timing.0) = 2 ]");
    check("[ $(grep -c 'Stats for thread 0' d/timing.1) = 1 ]");
}

/* One sentence, no files, and the program continues. */
static void check_failures(void)
{
    run("GPTL_OPTIONS=output.path=/dev/null/timing", "work", "");
    check("[ $(wc -l <err) = 1 ] && grep -q '/dev/null/timing: Not a directory' err");
    run("GPTL_OPTIONS=output.path=/dev/null/timing", "bad", "");
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return program(argv[1]);
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0) {
        printf("SKIPPED: no /proc/self/exe\n");
        return 77;
    }
    self[n] = '\0';
    check_formats();
    check_names();
    check_ranks();
    check_append();
    check_failures();
    return failures ? 1 : 0;
}
