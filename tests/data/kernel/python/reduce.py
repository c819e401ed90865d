"""The sum of an array by halves in shared memory, whose steps no barrier parts."""

import numpy as np
from numba import cuda, float32


@cuda.jit("void(float32[::1], float32[::1], int64)")
def block_sum(values, sums, n):
    s = cuda.shared.array(128, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    s[t] = values[i] if i < n else 0
    cuda.syncthreads()
    half = 64
    while half > 0:
        if t < half:
            s[t] += s[t + half]
        half //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = s[0]


values = cuda.to_device(np.ones(1000, np.float32))
sums = cuda.device_array(8, np.float32)
block_sum[8, 128](values, sums, values.size)
assert sums.copy_to_host().sum() == 1000
