// The last thread reads the count as if it were the last to count: nothing has told it so.
// compile: compute_52
// launch: <<<1,64>>> --size 16

extern "C" __global__ void last_by_chance(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ unsigned count;
    int t = threadIdx.x;
    if (t == 0)
        count = 0;
    __syncthreads();
    C[t] = (float)atomicAdd(&count, 1u);
    __threadfence();
    if (t == 63)
        C[64] = (float)count;
}

// finds: race 12 15
