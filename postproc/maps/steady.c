/*
 * steady.c - detects changes of the machine state from the times of a small and a larger message.
 */
#include "postproc/maps/steady.h"

#include <mpi.h>
#include <string.h>
#include <time.h>

enum { TAG = 31, TRIPS = 7, LARGE_TRIPS = 5, LARGE = 16384 /* bytes */ };
/* Ratio of times, including clock noise: smaller within a state, larger between states. */
static const double SAME = 1.75, SAME_LARGE = 1.4;
static const double NAP = 0.01, LOAD = 0.03, LONG = 0.001; /* seconds */

static bool is_first;
static int other;
static struct steady_trips usual;
static double patience;
static double
    /* the first rank's clock at the last exchange: both ranks use it for equal decisions */
    clock_of_both;
static char block[LARGE];

/* PMPI calls keep these messages out of traces. */
static void send(void *data, int bytes)
{
    PMPI_Send(data, bytes, MPI_BYTE, other, TAG, MPI_COMM_WORLD);
}

static void receive(void *data, int bytes)
{
    PMPI_Recv(data, bytes, MPI_BYTE, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/*
 * Return the minimum of TRIPS round trips of BYTES; the first byte marks the last trip. Fewer trips
 * are made if ranks have to wait for a processor.
 */
static double least_trip(int bytes, int trips)
{
    double least = 0, began = PMPI_Wtime();
    for (int i = 1, last = 0; !last; i++) {
        double from = PMPI_Wtime();
        if (is_first) {
            memset(block, i == trips || from - began > LONG, (size_t)bytes);
            from = PMPI_Wtime();
            send(block, bytes);
        }
        receive(block, bytes);
        if (!is_first)
            send(block, bytes);
        double seconds = PMPI_Wtime() - from;
        least = i == 1 || seconds < least ? seconds : least;
        last = block[0];
    }
    return least;
}

/* Return the first rank's measurement. */
static struct steady_trips trips_now(void)
{
    struct {
        struct steady_trips trips;
        double clock;
    } now = {{least_trip((int)sizeof(double), TRIPS), least_trip(LARGE, LARGE_TRIPS)},
             PMPI_Wtime()};
    if (is_first)
        send(&now, sizeof now);
    else
        receive(&now, sizeof now);
    clock_of_both = now.clock;
    return now.trips;
}

/*
 * Provoke a change of state: hosts move virtual processors on wake-up and under load, so do both.
 */
static void change(void)
{
    struct timespec t = {0, (long)(NAP * 1e9)};
    nanosleep(&t, NULL);
    for (double from = PMPI_Wtime(); PMPI_Wtime() < from + LOAD;)
        ;
}

void steady_begin(bool first, int peer, double search, double most)
{
    is_first = first;
    other = peer;
    trips_now(); /* establishes connections */
    change();
    usual = trips_now();
    for (double from = clock_of_both; clock_of_both - from < search;) {
        change();
        struct steady_trips now = trips_now();
        usual.small = now.small < usual.small ? now.small : usual.small;
        usual.large = now.large < usual.large ? now.large : usual.large;
    }
    patience = most;
}

void steady_expect(struct steady_trips trips)
{
    usual = trips;
}

static bool are_same(double one, double two, double most)
{
    return one < most * two && two < most * one;
}

bool steady_now(void)
{
    if (patience <= 0)
        return true;
    struct steady_trips now = trips_now();
    return are_same(now.small, usual.small, SAME) && are_same(now.large, usual.large, SAME_LARGE);
}

double steady_wait(void)
{
    double from = PMPI_Wtime(), since = 0;
    for (bool is_waiting = false; !steady_now(); is_waiting = true) {
        patience -= is_waiting ? clock_of_both - since : 0;
        since = clock_of_both;
        change();
    }
    return PMPI_Wtime() - from;
}

bool steady_given_up(void)
{
    return patience <= 0;
}
