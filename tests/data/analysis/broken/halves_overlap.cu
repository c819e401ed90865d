// Two threads store to the same half of a word.
// compile: compute_80
// launch: <<<1,64>>> --size 16

#include <cuda_fp16.h>
extern "C" __global__ void halves_overlap(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __half s[64];
    int t = threadIdx.x;
    s[t / 2 * 2] = __float2half(A[t]);
    __syncthreads();
    C[t] = __half2float(s[63 - t]);
}
// finds: memory 12
// finds: race 10
