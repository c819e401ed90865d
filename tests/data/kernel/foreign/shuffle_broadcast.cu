// Tiles without shared memory: a warp's lanes hold 32 elements of a row of A and pass them round.
// compile: compute_70
// launch: <<<2x5,32x8>>> --size 37x40x50
// result: chain

extern "C" __global__ void shuffle_broadcast(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int col = blockIdx.x * 32 + threadIdx.x;
    if (row >= M)
        return;
    float sum = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 32) {
        const int k = k0 + threadIdx.x;
        const float mine = k < K ? A[row * K + k] : 0.0f;
        const int end = min(32, K - k0);
        for (int i = 0; i < end; ++i) {
            const float a = __shfl_sync(0xffffffffu, mine, i);
            if (col < N)
                sum += a * B[(k0 + i) * N + col];
        }
    }
    if (__any_sync(0xffffffffu, col < N) && col < N)
        C[row * N + col] = sum;
}
