// Threads overwrite what copies may still be reading: they wait for them only afterwards.
// compile: compute_80
// launch: <<<1,64>>> --size 16

extern "C" __global__ void copy_source_overwritten(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(16) float s[64];
    int t = threadIdx.x;
    C[t] = A[t];
    __syncthreads();
    unsigned to = (unsigned)__cvta_generic_to_shared(&s[t]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(C + t) : "memory");
    __syncthreads();
    C[63 - t] = -1.0f;
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    C[64 + t] = s[63 - t];
}
// finds: race 12 14
