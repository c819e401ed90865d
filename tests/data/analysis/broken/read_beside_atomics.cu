// The sum is read while others still add to it.
// compile: compute_80
// launch: <<<2,128>>> --size 16

extern "C" __global__ void read_beside_atomics(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float sum;
    int t = threadIdx.x;
    if (t == 0)
        sum = 0.0f;
    __syncthreads();
    atomicAdd(&sum, A[t] * B[t]);
    if (t == 0)
        C[blockIdx.x] = sum;
}
// finds: race 12 14
