// Neighbouring threads store the two halves of a word.
// compile: compute_80
// launch: <<<1,64>>> --size 16

#include <cuda_fp16.h>
extern "C" __global__ void halves(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __half s[64];
    int t = threadIdx.x;
    s[t] = __float2half(A[t]);
    __syncthreads();
    C[t] = __half2float(s[63 - t]);
}
