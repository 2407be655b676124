/*
 * pmu_avail.c - gptl avail on a machine where most events start without error and silently read 0:
 * those are not available, and no event is derived from them.
 */
#include "report.h"

#include "postproc/commands.h"

enum { COUNTS, ZERO, CANNOT, STATES };

struct found {
    int n[STATES], derived, can;
    int instructions, cycles, misses; /* their states */
    bool ipc, intensity;
};

static int state_of(const char *text)
{
    static const char *const names[] = {"counts", "reads 0", "cannot start"};
    for (int i = 0; i < STATES; i++)
        if (strcmp(text, names[i]) == 0)
            return i;
    CHECK_THAT(0, "there is no state %s", text);
    return -1;
}

static void read_one(struct json *json, struct found *found, bool derived)
{
    char name[64] = "";
    int state = -1;
    bool can = false;
    json_object(json);
    for (const char *key; (key = json_key(json));)
        if (strcmp(key, "name") == 0)
            report_string(json, name, sizeof name);
        else if (strcmp(key, "state") == 0)
            state = state_of(json_string(json, NULL));
        else if (strcmp(key, "can") == 0)
            can = json_bool(json);
        else
            json_skip(json);
    if (derived) {
        found->derived++;
        found->can += can;
        if (strcmp(name, "GPTL_IPC") == 0)
            found->ipc = can;
        if (strcmp(name, "GPTL_CI") == 0)
            found->intensity = can;
        return;
    }
    CHECK(state >= 0);
    found->n[state]++;
    if (strcmp(name, "PAPI_TOT_INS") == 0)
        found->instructions = state;
    if (strcmp(name, "PAPI_TOT_CYC") == 0)
        found->cycles = state;
    if (strcmp(name, "PAPI_L1_DCM") == 0)
        found->misses = state;
}

/* The output of the command, and its exit status. */
static int avail(const char *pattern, struct found *found)
{
    char command[] = "avail", option[] = "--json", copy[64];
    char *argv[] = {command, option, copy, NULL};
    *found = (struct found){.instructions = -1, .cycles = -1, .misses = -1};
    snprintf(copy, sizeof copy, "%s", pattern ? pattern : "");
    fflush(stdout);
    int before = dup(STDOUT_FILENO), fd = open("avail", O_RDWR | O_CREAT | O_TRUNC, 0600);
    dup2(fd, STDOUT_FILENO);
    int status = gptl_avail(pattern ? 3 : 2, argv);
    dup2(before, STDOUT_FILENO);
    close(before);
    lseek(fd, 0, SEEK_SET);
    struct json *json = json_new("test", "avail", fd);
    CHECK(json);
    json_object(json);
    for (const char *key; (key = json_key(json));)
        if (strcmp(key, "events") == 0 || strcmp(key, "derived") == 0) {
            bool derived = *key == 'd';
            json_array(json);
            while (json_element(json))
                read_one(json, found, derived);
        } else {
            json_skip(json);
        }
    json_end(json);
    CHECK(!json_failed(json));
    json_free(json);
    close(fd);
    return status;
}

int main(void)
{
    static struct found found;
    CHECK_INT(avail(NULL, &found), GPTL_EXIT_DONE);
    printf("%d events count, %d start and read 0, %d cannot start; %d of %d derived\n",
           found.n[COUNTS], found.n[ZERO], found.n[CANNOT], found.can, found.derived);
    CHECK_INT(found.instructions, COUNTS);
    CHECK_INT(found.cycles, COUNTS);
    CHECK_INT(found.misses, ZERO);
    CHECK(found.n[ZERO] >= 19);
    CHECK(found.n[CANNOT] > 0);
    CHECK(found.ipc);
    CHECK(!found.intensity);
    CHECK_INT(found.can, 1);

    CHECK_INT(avail("papi_tot", &found), GPTL_EXIT_DONE);
    CHECK_INT(found.n[COUNTS], 2);
    CHECK_INT(avail("PAPI_L1_DCM", &found), GPTL_EXIT_FINDING);
    CHECK_INT(found.n[ZERO], 1);
    CHECK_INT(avail("GPTL_IPC", &found), GPTL_EXIT_DONE);
    CHECK_INT(found.can, 1);
    CHECK_INT(avail("GPTL_DCMRT", &found), GPTL_EXIT_FINDING);
    CHECK_INT(found.can, 0);
    return 0;
}
