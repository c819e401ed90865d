# Tiles in shared memory as Numba's documentation has taught it for years: the row of C on
# threadIdx.x, so that the tiles are filled and read by columns; `tmp = 0.` is a float64; as many
# steps along k as there are blocks in x; an early exit by `and`. Square sizes in whole tiles only.
# compile: Numba-CUDA 0.30.4, cuda.compile(.., cc=(8, 0), lineinfo=True)
# launch: <<<3x3,16x16>>>(numba) --size 48
# result: numba

from numba import cuda, float32

TPB = 16


def fast_matmul(A, B, C):
    sA = cuda.shared.array(shape=(TPB, TPB), dtype=float32)
    sB = cuda.shared.array(shape=(TPB, TPB), dtype=float32)

    row, col = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    if row >= C.shape[0] and col >= C.shape[1]:
        return

    tmp = 0.
    for step in range(cuda.gridDim.x):
        sA[tx, ty] = A[row, step * TPB + ty]
        sB[tx, ty] = B[step * TPB + tx, col]
        cuda.syncthreads()
        for k in range(TPB):
            tmp += sA[tx, k] * sB[k, ty]
        cuda.syncthreads()
    C[row, col] = tmp
