// Each half of the block has a numbered barrier of its own.
// compile: compute_80
// launch: <<<1,128>>> --size 16

extern "C" __global__ void two_groups(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float s[128];
    int t = threadIdx.x, group = t / 64;
    s[t] = A[t];
    asm volatile("bar.sync %0, 64;" :: "r"(group + 1) : "memory");
    C[t] = s[group * 64 + 63 - t % 64];
}
