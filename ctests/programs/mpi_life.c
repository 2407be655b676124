/*
 * mpi_life.c - events between MPI_Init and MPI_Finalize and around them, selected by its argument.
 */
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <ucontext.h>

#include <gptl.h>

static int rank, size;

static void begin(void)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
}

/* Regions opened before MPI_Init enclose it, and end after MPI_Finalize. */
static void around(void)
{
    GPTLstart("all");
    GPTLstart("before");
    GPTLstop("before");
    begin();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    GPTLstop("all");
}

/* Twice measured, and twice not. Then the report so far, before more calls. */
static void control(void)
{
    begin();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(1);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(2, "more", 3);
    char name[32];
    snprintf(name, sizeof name, "timing.%d", rank);
    FILE *file = fopen(name, "r");
    if (!file)
        exit(3);
    fclose(file);
    remove(name);
    MPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
}

/* Posted while measuring, completed while disabled, and the other way round. */
static void half(void)
{
    int out[4] = {0}, in[4];
    MPI_Request r;
    begin();
    MPI_Irecv(in, 4, MPI_INT, 0, 1, MPI_COMM_SELF, &r);
    MPI_Pcontrol(0);
    MPI_Send(out, 4, MPI_INT, 0, 1, MPI_COMM_SELF);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Irecv(in, 4, MPI_INT, 0, 1, MPI_COMM_SELF, &r);
    MPI_Pcontrol(1);
    MPI_Ssend(out, 3, MPI_INT, 0, 1, MPI_COMM_SELF);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Finalize();
}

static void aborts(void)
{
    begin();
    MPI_Barrier(MPI_COMM_WORLD);
    GPTLstart("open");
    if (size == 1)
        MPI_Abort(MPI_COMM_WORLD, 7);
}

/*
 * An error handled by a handler of the program, which calls MPI itself; one that is returned; and
 * one that leaves by longjmp.
 */
static int handled;
static jmp_buf back;

static void handler(MPI_Comm *comm, int *code, ...)
{
    char text[MPI_MAX_ERROR_STRING];
    int length, r;
    MPI_Error_string(*code, text, &length);
    MPI_Comm_rank(*comm, &r);
    handled++;
}

static void jumper(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    longjmp(back, 1);
}

static void errors(void)
{
    MPI_Errhandler own, jumps;
    MPI_Request none = MPI_REQUEST_NULL;
    int x = 0;
    begin();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (MPI_Send(&x, 1, MPI_INT, size + 5, 1, MPI_COMM_WORLD) == MPI_SUCCESS)
        exit(3);
    MPI_Comm_create_errhandler(handler, &own);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
    MPI_Send(&x, 1, MPI_INT, size + 5, 1,
             MPI_COMM_WORLD); /* its return value then depends on the release */
    if (handled != 1)
        exit(4);
    MPI_Comm_create_errhandler(jumper, &jumps);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, jumps);
    GPTLstart("jump");
    if (setjmp(back) == 0) {
        MPI_Send(&x, 1, MPI_INT, size + 5, 1, MPI_COMM_WORLD);
        exit(5);
    }
    MPI_Waitall(1, &none, MPI_STATUSES_IGNORE); /* whose frame in the library may be a large one */
    MPI_Barrier(MPI_COMM_WORLD);
    GPTLstop("jump");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}

/* Threads with separate messages. */
enum { THREADS = 4, MESSAGES = 2000 };

static void *talk(void *arg)
{
    int tag = *(int *)arg, out[THREADS] = {0}, in[THREADS];
    for (int i = 0; i < MESSAGES; i++) {
        MPI_Request r;
        MPI_Irecv(in, THREADS, MPI_INT, (rank + size - 1) % size, tag, MPI_COMM_WORLD, &r);
        MPI_Send(out, tag + 1, MPI_INT, (rank + 1) % size, tag, MPI_COMM_WORLD);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    return NULL;
}

static void threads(void)
{
    pthread_t id[THREADS];
    int tag[THREADS], provided;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        exit(77);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < THREADS; i++) {
        tag[i] = i;
        pthread_create(&id[i], NULL, talk, &tag[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(id[i], NULL);
    MPI_Finalize();
}

/* One thread posts, another one completes. */
static void *complete(void *request)
{
    MPI_Wait(request, MPI_STATUS_IGNORE);
    return NULL;
}

static void handed_on(void)
{
    int provided, out[4] = {0}, in[4];
    MPI_Request r;
    pthread_t id;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    for (int i = 0; i < 10; i++) {
        MPI_Irecv(in, 4, MPI_INT, 0, 1, MPI_COMM_SELF, &r);
        MPI_Send(out, 4, MPI_INT, 0, 1, MPI_COMM_SELF);
        /* One after the other: a wait next to a send sometimes hangs in MPICH 4.0.2. */
        pthread_create(&id, NULL, complete, &r);
        pthread_join(id, NULL);
    }
    MPI_Finalize();
}

#if MPI_VERSION >= 4
static void sessions(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "mpi_life", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
}
#endif

static void spawns(char *self)
{
    MPI_Comm parent, children;
    begin();
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
        char *arguments[] = {"spawns", NULL};
        MPI_Comm_spawn(self, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                       MPI_ERRCODES_IGNORE);
        MPI_Barrier(children);
        MPI_Comm_disconnect(&children);
    } else {
        MPI_Barrier(parent);
        MPI_Comm_disconnect(&parent);
    }
    MPI_Finalize();
}

/* The time-stamp counter is disabled during MPI_Comm_free; MPI itself may need it later. */
static int disable_counter(MPI_Comm comm, int key, void *value, void *state)
{
    (void)comm, (void)key, (void)state;
    if (value)
        *(int *)value = prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
    return MPI_SUCCESS;
}

static void counter(void)
{
    int key, disabled = -1;
    begin();
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, disable_counter, &key, NULL);
    for (int i = 0; i < 6; i++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_SELF, &comm);
        MPI_Comm_set_attr(comm, key, i == 3 ? &disabled : NULL);
        MPI_Comm_free(&comm);
        prctl(PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0);
    }
    MPI_Finalize();
    puts(disabled ? "none" : "disabled");
}

/* A summary is requested on a stack of 16 KiB. */
static int summary;

static void summarize(void)
{
    summary = GPTLpr_summary(MPI_COMM_WORLD);
}

static void small(void)
{
    static ucontext_t all, coroutine;
    char *stack = mmap(NULL, 5 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    begin();
    MPI_Barrier(MPI_COMM_WORLD);
    mprotect(stack, 4096, PROT_NONE);
    getcontext(&coroutine);
    coroutine.uc_stack.ss_sp = stack + 4096;
    coroutine.uc_stack.ss_size = 16384;
    coroutine.uc_link = &all;
    makecontext(&coroutine, summarize, 0);
    swapcontext(&all, &coroutine);
    printf("summary: %d\n", summary);
    MPI_Finalize();
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "around") == 0)
        around();
    else if (strcmp(what, "control") == 0)
        control();
    else if (strcmp(what, "half") == 0)
        half();
    else if (strcmp(what, "aborts") == 0)
        aborts();
    else if (strcmp(what, "errors") == 0)
        errors();
    else if (strcmp(what, "threads") == 0)
        threads();
    else if (strcmp(what, "handed_on") == 0)
        handed_on();
    else if (strcmp(what, "counter") == 0)
        counter();
    else if (strcmp(what, "small") == 0)
        small();
    else if (strcmp(what, "spawns") == 0)
        spawns(argv[0]);
#if MPI_VERSION >= 4
    else if (strcmp(what, "sessions") == 0)
        sessions();
#endif
    return 0;
}
