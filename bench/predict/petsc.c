/* petsc.c - PETSc's MatMult with the matrix of a 7-point stencil on a cube. */
#include "suite.h"

#include <petscmat.h>

static Mat matrix;
static Vec x, y;

static void check(PetscErrorCode error)
{
    if (error)
        suite_stop("PETSc reported an error");
}

/* Insert row ROW of the matrix of a cube with N points per side. */
static void put_row(PetscInt row, PetscInt n)
{
    PetscInt columns[7], count = 0, step[3] = {1, n, n * n};
    PetscScalar values[7];
    for (int d = 0; d < 3; d++) {
        PetscInt place = row / step[d] % n;
        if (place > 0)
            columns[count++] = row - step[d];
        if (place < n - 1)
            columns[count++] = row + step[d];
    }
    columns[count++] = row;
    for (PetscInt i = 0; i < count; i++)
        values[i] = i < count - 1 ? -1 : 6;
    check(MatSetValues(matrix, 1, &row, count, columns, values, INSERT_VALUES));
}

static void matmult_prepare(size_t bytes)
{
    enum { ROW_BYTES = 7 * (sizeof(PetscScalar) + sizeof(PetscInt)) + 2 * sizeof(PetscScalar) };
    PetscInt n = 2;
    while ((size_t)(n + 1) * (size_t)(n + 1) * (size_t)(n + 1) * ROW_BYTES <= bytes)
        n++;
    PetscInt rows = n * n * n;
    check(PetscInitializeNoArguments());
    check(MatCreateSeqAIJ(PETSC_COMM_SELF, rows, rows, 7, NULL, &matrix));
    for (PetscInt row = 0; row < rows; row++)
        put_row(row, n);
    check(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
    check(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
    check(MatCreateVecs(matrix, &x, &y));
    check(VecSet(x, 1.0));
}

static void matmult_sweep(void)
{
    check(MatMult(matrix, x, y));
}

const struct kernel suite_kernels[] = {
    {"matmult", matmult_prepare, matmult_sweep},
    {NULL, NULL, NULL},
};
