// The same 16 bytes at a time and past the first-level cache, three pairs of tiles deep.
// compile: compute_80
// launch: <<<2x3,64>>> --size 96x64x80
// result: chain

#define SIDE 32
#define BK 16
#define STAGES 3

__device__ void copy(float* to, const float* from)
{
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from));
}

extern "C" __global__ void cp_async_16(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(16) float sA[STAGES][SIDE][BK];
    __shared__ __align__(16) float sB[STAGES][BK][SIDE];
    const int top = blockIdx.y * SIDE, left = blockIdx.x * SIDE;
    // A thread computes 4 x 4 elements: 8 threads down, 8 across.
    const int down = threadIdx.x / 8 * 4, right = threadIdx.x % 8 * 4;

    auto fetch = [&](int tile) {
        if (tile * BK < K) {
            const int stage = tile % STAGES;
            for (int i = threadIdx.x; i < SIDE * BK / 4; i += 64) {
                const int row = i / (BK / 4), k = i % (BK / 4) * 4;
                copy(&sA[stage][row][k], &A[(top + row) * K + tile * BK + k]);
            }
            for (int i = threadIdx.x; i < BK * SIDE / 4; i += 64) {
                const int k = i / (SIDE / 4), col = i % (SIDE / 4) * 4;
                copy(&sB[stage][k][col], &B[(tile * BK + k) * N + left + col]);
            }
        }
        asm volatile("cp.async.commit_group;");
    };

    for (int tile = 0; tile < STAGES - 1; ++tile)
        fetch(tile);
    float sum[4][4] = {};
    for (int tile = 0; tile * BK < K; ++tile) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
        __syncthreads();
        fetch(tile + STAGES - 1);
        const int stage = tile % STAGES;
        for (int k = 0; k < BK; ++k)
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j)
                    sum[i][j] += sA[stage][down + i][k] * sB[stage][k][right + j];
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            C[(top + down + i) * N + left + right + j] = sum[i][j];
}
