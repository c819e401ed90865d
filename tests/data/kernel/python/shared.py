"""C = A x B by tiles in shared memory, for matrices of any shape: the column lies on threadIdx.x, what is
outside of A and B is zero, and the sum is a float32. Launched as a program does that measures it."""

import numpy as np
from numba import cuda, float32

TILE = 16


@cuda.jit
def tiled_matmul(A, B, C):
    sA = cuda.shared.array((TILE, TILE), float32)
    sB = cuda.shared.array((TILE, TILE), float32)

    col, row = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    total = float32(0.0)
    for first in range(0, A.shape[1], TILE):
        sA[ty, tx] = 0
        sB[ty, tx] = 0
        if row < A.shape[0] and first + tx < A.shape[1]:
            sA[ty, tx] = A[row, first + tx]
        if first + ty < B.shape[0] and col < B.shape[1]:
            sB[ty, tx] = B[first + ty, col]
        cuda.syncthreads()
        for k in range(TILE):
            total += sA[ty, k] * sB[k, tx]
        cuda.syncthreads()
    if row < C.shape[0] and col < C.shape[1]:
        C[row, col] = total


def multiply(a, b):
    c = cuda.device_array((a.shape[0], b.shape[1]), np.float32)
    grid = (-(-b.shape[1] // TILE), -(-a.shape[0] // TILE))
    tiled_matmul[grid, (TILE, TILE)](cuda.to_device(a), cuda.to_device(b), c)
    return c.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(1)
    a = rng.random((48, 80), dtype=np.float32)
    b = rng.random((80, 32), dtype=np.float32)
    print(np.abs(multiply(a, b) - a @ b).max())
