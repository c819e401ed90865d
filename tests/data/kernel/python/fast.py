"""C = A x B by tiles in shared memory, for square matrices of whole tiles alone: threads outside C leave
only if both of their indices are outside, and there are as many tiles as the grid has blocks along x."""

from numba import cuda, float32

TILE = 16


@cuda.jit
def fast_matmul(A, B, C):
    sA = cuda.shared.array(shape=(TILE, TILE), dtype=float32)
    sB = cuda.shared.array(shape=(TILE, TILE), dtype=float32)

    row, col = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    if row >= C.shape[0] and col >= C.shape[1]:
        return

    total = 0.0
    for tile in range(cuda.gridDim.x):
        sA[tx, ty] = A[row, tile * TILE + ty]
        sB[tx, ty] = B[tile * TILE + tx, col]
        cuda.syncthreads()
        for k in range(TILE):
            total += sA[tx, k] * sB[k, ty]
        cuda.syncthreads()
    C[row, col] = total
