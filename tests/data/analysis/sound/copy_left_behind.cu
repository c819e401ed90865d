// The last copy is begun in vain: nobody waits for it, and nobody reads it.
// compile: compute_80
// launch: <<<4,64>>> --size 16

extern "C" __global__ void copy_left_behind(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(16) float s[2][64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    unsigned to[2];
    to[0] = (unsigned)__cvta_generic_to_shared(&s[0][t]);
    to[1] = (unsigned)__cvta_generic_to_shared(&s[1][t]);
    for (int step = 0; step < 2; ++step) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to[step]), "l"(A + i) : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    C[i] = s[0][63 - t];
}
