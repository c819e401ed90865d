"""The tiled kernel of kernels/tiled.cu under Numba's CUDA simulator: seconds for one launch at size n.

Usage: NUMBA_ENABLE_CUDASIM=1 python tiled.py N
"""

import sys
import time

import numpy as np
from numba import cuda, float32

TILE = 16


@cuda.jit
def tiled(A, B, C):
    sA = cuda.shared.array((TILE, TILE), float32)
    sB = cuda.shared.array((TILE, TILE), float32)
    column, row = cuda.threadIdx.x, cuda.threadIdx.y
    j, i = cuda.grid(2)
    total = float32(0.0)
    for k0 in range(0, A.shape[1], TILE):
        sA[row, column] = A[i, k0 + column]
        sB[row, column] = B[k0 + row, j]
        cuda.syncthreads()
        for k in range(TILE):
            total += sA[row, k] * sB[k, column]
        cuda.syncthreads()
    C[i, j] = total


n = int(sys.argv[1])
A = np.random.rand(n, n).astype(np.float32)
B = np.random.rand(n, n).astype(np.float32)
C = np.zeros((n, n), np.float32)
start = time.perf_counter()
tiled[(n // TILE, n // TILE), (TILE, TILE)](A, B, C)
seconds = time.perf_counter() - start
assert np.allclose(C, A @ B, rtol=1e-4)
print(seconds)
