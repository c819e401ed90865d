// A barrier under a condition that is the same for the whole block.
// compile: compute_80
// launch: <<<2,64>>> --size 16

extern "C" __global__ void uniform_condition(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = A[t];
    if (blockIdx.x == 1) {
        __syncthreads();
        C[64 + t] = s[63 - t];
    } else {
        C[t] = s[t];
    }
}
