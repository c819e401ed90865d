// Threads overwrite what was copied, after all have waited for the copies.
// compile: compute_80
// launch: <<<1,64>>> --size 16

extern "C" __global__ void copy_source_in_turn(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(16) float s[64];
    int t = threadIdx.x;
    C[t] = A[t];
    __syncthreads();
    unsigned to = (unsigned)__cvta_generic_to_shared(&s[t]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(C + t) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    C[63 - t] = -1.0f;
    C[64 + t] = s[63 - t];
}
