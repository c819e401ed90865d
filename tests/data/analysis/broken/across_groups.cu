// Each half has a barrier of its own, and reads what the other half stored.
// compile: compute_80
// launch: <<<1,128>>> --size 16

extern "C" __global__ void across_groups(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float s[128];
    int t = threadIdx.x, group = t / 64;
    s[t] = A[t];
    asm volatile("bar.sync %0, 64;" :: "r"(group + 1) : "memory");
    C[t] = s[127 - t];
}
// finds: race 9 11
