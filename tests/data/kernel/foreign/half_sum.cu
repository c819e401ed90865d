// Half precision throughout: products of two elements at a time, halves added up at the end.
// compile: compute_70
// launch: <<<,16x16>>> --size 32x48x64
// result: tolerance 1e-2

#include <cuda_fp16.h>

extern "C" __global__ void half_sum(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N)
        return;
    __half2 sum = __floats2half2_rn(0.0f, 0.0f);
    for (int k = 0; k + 1 < K; k += 2) {
        const __half2 a = __floats2half2_rn(A[row * K + k], A[row * K + k + 1]);
        const __half2 b = __floats2half2_rn(B[k * N + col], B[(k + 1) * N + col]);
        sum = __hfma2(a, b, sum);
    }
    __half last = __hadd(__low2half(sum), __high2half(sum));
    if (K % 2 == 1)
        last = __hfma(__float2half(A[row * K + K - 1]), __float2half(B[(K - 1) * N + col]), last);
    C[row * N + col] = __half2float(last);
}
