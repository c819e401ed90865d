// The last block adds up 64 words, of which four are written.
// compile: compute_52
// launch: <<<4,64>>> --size 16

__device__ unsigned arrived;
__device__ float sums[4];

extern "C" __global__ void last_block_unwritten(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ bool last;
    __shared__ float s[64];
    int t = threadIdx.x;
    if (t == 0) {
        sums[blockIdx.x] = A[blockIdx.x];
        __threadfence();
        last = atomicAdd(&arrived, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!last)
        return;
    if (t < 4)
        s[t] = ((volatile float*)sums)[t];
    __syncthreads();
    for (int d = 32; d; d >>= 1) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        C[0] = s[0];
}

// finds: memory 27
