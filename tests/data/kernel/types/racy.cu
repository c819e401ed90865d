// A product in tiles of 8 x 8 by two warps, with elements of several types: the barrier after the sums
// is missing, so that one warp may load the next tile while the other one still adds.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <typename T> __device__ T product(const T* A, const T* B, int K, int N, int row, int col)
{
    __shared__ T sA[8][8], sB[8][8];
    T sum = T(0.0f);
    for (int t = 0; t < K; t += 8) {
        sA[threadIdx.y][threadIdx.x] = A[row * K + t + threadIdx.x];
        sB[threadIdx.y][threadIdx.x] = B[(t + threadIdx.y) * N + col];
        __syncthreads();
        for (int k = 0; k < 8; ++k)
            sum = sum + sA[threadIdx.y][k] * sB[k][threadIdx.x];
    }
    return sum;
}

#define RACY(name, T) \
    __global__ void name(const T* A, const T* B, T* C, int M, int N, int K, int ldc) \
    { \
        int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x; \
        C[row * ldc + col] = product<T>(A, B, K, N, row, col); \
    }

RACY(racy_doubles, double)
RACY(racy_halves, half)
RACY(racy_brains, __nv_bfloat16)
RACY(racy_ints, int)
RACY(racy_longs, unsigned long long)
RACY(racy_shorts, unsigned short)
RACY(racy_bytes, signed char)
