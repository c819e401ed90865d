# The same made right: the column on threadIdx.x, so that neighbours load neighbours; zeros where
# the matrices end; the sum in float32.
# compile: Numba-CUDA 0.30.4, cuda.compile(.., cc=(8, 0), lineinfo=True)
# launch: <<<3x4,16x16>>>(numba) --size 50x40x33
# result: chain

from numba import cuda, float32

TPB = 16


def tiled_matmul(A, B, C):
    sA = cuda.shared.array(shape=(TPB, TPB), dtype=float32)
    sB = cuda.shared.array(shape=(TPB, TPB), dtype=float32)

    col, row = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y

    acc = float32(0.)
    for start in range(0, A.shape[1], TPB):
        sA[ty, tx] = 0
        sB[ty, tx] = 0
        if row < A.shape[0] and start + tx < A.shape[1]:
            sA[ty, tx] = A[row, start + tx]
        if start + ty < B.shape[0] and col < B.shape[1]:
            sB[ty, tx] = B[start + ty, col]
        cuda.syncthreads()
        for k in range(TPB):
            acc += sA[ty, k] * sB[k, tx]
        cuda.syncthreads()
    if row < C.shape[0] and col < C.shape[1]:
        C[row, col] = acc
