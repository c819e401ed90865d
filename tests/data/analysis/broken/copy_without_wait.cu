// Nobody waits for cp.async.
// compile: compute_80
// launch: <<<1,64>>> --size 16

extern "C" __global__ void copy_without_wait(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(16) float s[2][64];
    int t = threadIdx.x;
    unsigned to[2];
    to[0] = (unsigned)__cvta_generic_to_shared(&s[0][t]);
    to[1] = (unsigned)__cvta_generic_to_shared(&s[1][t]);
    float sum = 0.0f;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to[0]), "l"(A + t) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    for (int step = 0; step < 4; ++step) {
        if (step < 3)
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to[(step + 1) % 2]), "l"(A + 64 * (step + 1) + t) : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
        __syncthreads();
        sum += s[step % 2][63 - t];
        __syncthreads();
    }
    C[t] = sum;
}
// finds: race 13 17
// finds: race 13 20
// finds: race 17
// finds: race 17 20
