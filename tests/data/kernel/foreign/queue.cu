// Warps that help themselves: the next row of the block's eight is taken from a counter in shared
// memory by an atomic addition, and the warp's lane 0 tells the others which one it got.
// compile: compute_70
// launch: <<<2x5,96>>> --size 37x40x33
// result: chain

extern "C" __global__ void queue(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ int next;
    if (threadIdx.x == 0)
        next = 0;
    __syncthreads();
    const int lane = threadIdx.x % 32;
    const int col = blockIdx.x * 32 + lane;
    for (;;) {
        int row = 0;
        if (lane == 0)
            row = atomicAdd(&next, 1);
        row = __shfl_sync(0xffffffffu, row, 0);
        if (row >= 8)
            break;
        row += blockIdx.y * 8;
        if (row < M && col < N) {
            float sum = 0.0f;
            for (int k = 0; k < K; ++k)
                sum += A[row * K + k] * B[k * N + col];
            C[row * N + col] = sum;
        }
    }
}
