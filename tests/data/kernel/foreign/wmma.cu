// Tensor cores through nvcuda::wmma: four warps, 16 x 16 of C each, from half-precision copies of
// the tiles in shared memory; the sums are float32.
// compile: compute_80
// launch: <<<1x2,128>>> --size 64x32x48
// result: tolerance 1e-3

#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

extern "C" __global__ void wmma_32x32(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(32) __half sA[32][16];
    __shared__ __align__(32) __half sB[16][32];
    const int warp = threadIdx.x / 32;
    const int top = blockIdx.y * 32, left = blockIdx.x * 32;
    const int down = warp / 2 * 16, right = warp % 2 * 16;

    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(c, 0.0f);
    for (int k0 = 0; k0 < K; k0 += 16) {
        for (int i = threadIdx.x; i < 32 * 16; i += 128) {
            sA[i / 16][i % 16] = __float2half(A[(top + i / 16) * K + k0 + i % 16]);
            sB[i / 32][i % 32] = __float2half(B[(k0 + i / 32) * N + left + i % 32]);
        }
        __syncthreads();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
        wmma::load_matrix_sync(a, &sA[down][0], 16);
        wmma::load_matrix_sync(b, &sB[0][right], 32);
        wmma::mma_sync(c, a, b, c);
        __syncthreads();
    }
    wmma::store_matrix_sync(&C[(top + down) * N + left + right], c, N, wmma::mem_row_major);
}
