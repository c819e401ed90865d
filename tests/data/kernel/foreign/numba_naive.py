# A thread for each element of C, from cuda.grid(2): the row lies on x. `tmp = 0.` is a float64, and
# so is the sum.
# compile: Numba-CUDA 0.30.4, cuda.compile(.., cc=(8, 0), lineinfo=True)
# launch: <<<5x4,8x8>>>(numba) --size 40x32x21
# result: numba

from numba import cuda


def numba_naive(A, B, C):
    i, j = cuda.grid(2)
    if i < C.shape[0] and j < C.shape[1]:
        tmp = 0.
        for k in range(A.shape[1]):
            tmp += A[i, k] * B[k, j]
        C[i, j] = tmp
