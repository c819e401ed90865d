// Three warps meet after they have counted themselves; the first has as well, and meets nobody.
// compile: compute_52
// launch: <<<1,128>>> --size 16

extern "C" __global__ void atomics_of_three_warps(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ unsigned count;
    int t = threadIdx.x;
    if (t == 0)
        count = 0;
    __syncthreads();
    if (t % 32 == 0)
        atomicAdd(&count, 1u);
    if (t >= 32)
        asm volatile("bar.sync 1, 96;" ::: "memory");
    if (t == 96)
        C[0] = (float)count;
}

// finds: race 13 17
