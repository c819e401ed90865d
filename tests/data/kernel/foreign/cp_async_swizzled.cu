// Rows of 64 bytes from anywhere to places that a swizzle has changed.
// compile: compute_80
// launch: <<<2x3,128>>> --size 96x64x100
// launch: <<<1x2,128>>> --size 64x32x72
// launch: <<<1x1,128>>> --size 32x32x92
// result: chain

#define SIDE 32
#define BK 16

__device__ void copy(float* to, const float* from)
{
    unsigned shared = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :: "r"(shared), "l"(from) : "memory");
}

// M and N are multiples of 32, K of 4.
extern "C" __global__ void __launch_bounds__(128)
cp_async_swizzled(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(128) float sA[SIDE][BK];
    __shared__ __align__(128) float sB[BK][SIDE];

    int t = threadIdx.x;
    int firstRow = blockIdx.y * SIDE, firstCol = blockIdx.x * SIDE;
    int row = t / 4, col = t % 32;
    float acc[8] = {};

    int k0 = 0;
    for (; k0 + BK <= K; k0 += BK) {
        // Groups of four change places: two rows share the 32 banks.
        copy(&sA[row][(t ^ row / 2) % 4 * 4], &A[(firstRow + row) * K + k0 + t % 4 * 4]);
        copy(&sB[t / 8][t % 8 * 4], &B[(k0 + t / 8) * N + firstCol + t % 8 * 4]);
        asm volatile("cp.async.wait_all;" ::: "memory");
        __syncthreads();
        for (int i = 0; i < 8; ++i)
            for (int k = 0; k < BK; ++k) {
                int r = t / 32 * 8 + i;
                acc[i] += sA[r][k ^ r / 2 % 4 * 4] * sB[k][col];
            }
        __syncthreads();
    }
    for (int i = 0; i < 8; ++i) {
        int r = firstRow + t / 32 * 8 + i;
        for (int k = k0; k < K; ++k)
            acc[i] += A[r * K + k] * B[k * N + firstCol + col];
        C[r * N + firstCol + col] = acc[i];
    }
}
