# Triton's elementwise subset: the product as a sum of outer products, k after k; no dot, no shared
# memory.
# compile: Triton 3.9.0, GPUTarget("cuda", 80, 32), 4 warps
# launch: <<<3x5,128>>>(A,B,C,M,N,K,0,0) --size 70x80x40
# result: chain

import triton
import triton.language as tl


@triton.jit
def outer(A, B, C, M, N, K):
    row = tl.program_id(1) * 16 + tl.arange(0, 16)
    col = tl.program_id(0) * 32 + tl.arange(0, 32)
    sum = tl.zeros((16, 32), dtype=tl.float32)
    for k in range(K):
        a = tl.load(A + row * K + k, row < M, 0.0)
        b = tl.load(B + k * N + col, col < N, 0.0)
        sum = tl.fma(a[:, None], b[None, :], sum)
    tl.store(C + row[:, None] * N + col[None, :], sum, (row[:, None] < M) & (col[None, :] < N))
