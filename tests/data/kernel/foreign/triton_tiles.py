# A block of 32 x 32 elements for each program, in steps of 16 along k; masks where the matrices
# end. Every product is made in float32, so that no tensor core is asked.
# compile: Triton 3.9.0, GPUTarget("cuda", 80, 32), 4 warps
# launch: <<<3x3,128,8192>>>(A,B,C,M,N,K,0,0) --size 70x80x40
# result: chain

import triton
import triton.language as tl


@triton.jit
def tiles(A, B, C, M, N, K):
    row = tl.program_id(1) * 32 + tl.arange(0, 32)
    col = tl.program_id(0) * 32 + tl.arange(0, 32)
    sum = tl.zeros((32, 32), dtype=tl.float32)
    for start in range(0, K, 16):
        k = start + tl.arange(0, 16)
        a = tl.load(A + row[:, None] * K + k[None, :], (row[:, None] < M) & (k[None, :] < K), 0.0)
        b = tl.load(B + k[:, None] * N + col[None, :], (k[:, None] < K) & (col[None, :] < N), 0.0)
        sum = tl.dot(a, b, sum, input_precision="ieee")
    tl.store(C + row[:, None] * N + col[None, :], sum, (row[:, None] < M) & (col[None, :] < N))
