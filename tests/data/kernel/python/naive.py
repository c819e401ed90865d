"""C = A x B, a thread for each element, whose row lies on threadIdx.x; the sum is a float64."""

from numba import cuda


@cuda.jit
def matmul(A, B, C):
    i, j = cuda.grid(2)
    if i < C.shape[0] and j < C.shape[1]:
        total = 0.0
        for k in range(A.shape[1]):
            total += A[i, k] * B[k, j]
        C[i, j] = total
