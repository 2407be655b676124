/* steady.c - whether messages take what they took before, told by small ones. */
#include "postproc/maps/steady.h"

#include <mpi.h>
#include <time.h>

enum { TAG = 31, TRIPS = 7 };
/* What a state of the machine takes differs by less than this, the clock included, and that of another by more. */
static const double SAME = 1.75;
static const double NAP = 0.01, LOAD = 0.03, LONG = 0.001; /* seconds */

static bool is_first;
static int other;
static double usual, patience;

/* PMPI: what a trace records of a program has none of this. */
static void send(double *value)
{
    PMPI_Send(value, 1, MPI_DOUBLE, other, TAG, MPI_COMM_WORLD);
}

static void receive(double *value)
{
    PMPI_Recv(value, 1, MPI_DOUBLE, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The least of some, as the first rank has measured it; of fewer, where ranks have to wait for a processor. */
static double round_trip(void)
{
    double least = 0, is_last = 0, began = PMPI_Wtime();
    for (int i = 1; !(is_last > 0); i++) {
        double from = PMPI_Wtime();
        is_last = i == TRIPS || from - began > LONG;
        if (is_first)
            send(&is_last);
        receive(&is_last);
        if (!is_first)
            send(&is_last);
        double seconds = PMPI_Wtime() - from;
        least = i == 1 || seconds < least ? seconds : least;
    }
    if (is_first)
        send(&least);
    else
        receive(&least);
    return least;
}

/* Hosts move processors when they wake up, and when they are busy: first one, and then the other. */
static void change(void)
{
    struct timespec t = {0, (long)(NAP * 1e9)};
    nanosleep(&t, NULL);
    for (double from = PMPI_Wtime(); PMPI_Wtime() < from + LOAD;)
        ;
}

void steady_begin(bool first, int peer, double known, double search, double most)
{
    is_first = first;
    other = peer;
    usual = known > 0 ? known : round_trip();
    for (double passed = 0; known <= 0 && passed < search; passed += NAP + LOAD) {
        change();
        double seconds = round_trip();
        usual = seconds < usual ? seconds : usual;
    }
    patience = most;
}

bool steady_now(void)
{
    if (patience <= 0)
        return true;
    double now = round_trip();
    return now < SAME * usual && usual < SAME * now;
}

double steady_wait(void)
{
    double from = PMPI_Wtime();
    while (!steady_now()) {
        patience -= NAP + LOAD;
        change();
    }
    return PMPI_Wtime() - from;
}

bool steady_given_up(void)
{
    return patience <= 0;
}
