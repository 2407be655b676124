/*
 * mpi_cpp.cpp - C++ with MPI: exceptions leave regions, MPI's error handlers throw through its
 * functions, and objects call MPI in their destructors.
 */
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <mpi.h>

#include <gptl.h>

namespace {

/* A region as an object, which ends with any exit of its block. */
class Region {
public:
    explicit Region(const char *name) : name_(name) { GPTLstart(name_); }
    ~Region() { GPTLstop(name_); }
    Region(const Region &) = delete;
    Region &operator=(const Region &) = delete;

private:
    const char *name_;
};

/* A communicator as an object: freed while an exception propagates. */
class Communicator {
public:
    explicit Communicator(MPI_Comm from) { MPI_Comm_dup(from, &comm); }
    ~Communicator() { MPI_Comm_free(&comm); }
    Communicator(const Communicator &) = delete;
    Communicator &operator=(const Communicator &) = delete;
    MPI_Comm comm;
};

void thrower(MPI_Comm *, int *code, ...)
{
    throw std::runtime_error("MPI has error " + std::to_string(*code));
}

/* The exception propagates out of MPI_Send, if MPI's code allows that. */
int send_to_nobody(MPI_Comm comm, int size)
{
    int x = 0;
    return MPI_Send(&x, 1, MPI_INT, size + 5, 1, comm);
}

template <typename T> T sum(T mine, MPI_Datatype type, MPI_Comm comm)
{
    T all{};
    Region region("sum");
    MPI_Allreduce(&mine, &all, 1, type, MPI_SUM, comm);
    return all;
}

void throws_between(MPI_Comm world)
{
    Region region("between");
    Communicator own(world);
    MPI_Barrier(own.comm);
    throw std::logic_error("between two calls");
}

/* Return the number of exceptions. */
int exceptions(MPI_Comm world, int size, bool through_mpi)
{
    int caught = 0;
    for (int i = 0; i < 3; i++)
        try {
            throws_between(world);
        } catch (const std::logic_error &) {
            caught++;
        }
    if (through_mpi) {
        Communicator own(world);
        MPI_Errhandler handler;
        MPI_Comm_create_errhandler(thrower, &handler);
        MPI_Comm_set_errhandler(own.comm, handler);
        MPI_Errhandler_free(&handler);
        for (int i = 0; i < 2; i++) {
            Region region("thrown");
            try {
                Region inner("inner");
                send_to_nobody(own.comm, size);
            } catch (const std::runtime_error &) {
                caught++;
                MPI_Barrier(own.comm); /* below "thrown", not below MPI_Send */
            }
        }
    }
    return caught;
}

} // namespace

int main(int argc, char **argv)
{
    int rank, size;
    bool through_mpi = argc > 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int caught = exceptions(MPI_COMM_WORLD, size, through_mpi);
    bool right = caught == (through_mpi ? 5 : 3) && sum(1.0, MPI_DOUBLE, MPI_COMM_WORLD) == size &&
                 sum(1, MPI_INT, MPI_COMM_WORLD) == size;
    std::vector<std::vector<char>> parts(5);
    for (std::size_t i = 0; i < parts.size(); i++) {
        parts[i].resize(i + 1);
        MPI_Bcast(parts[i].data(), static_cast<int>(i) + 1, MPI_CHAR, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
