// A barrier for two warps, of which one has returned.
// compile: compute_80
// launch: <<<1,64>>> --size 16

extern "C" __global__ void counted_without_one(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    if (t >= 32 && K < 1000)
        return;
    s[t] = A[t];
    asm volatile("bar.sync 1, 64;" ::: "memory");
    C[t] = s[31 - t % 32];
}
// finds: barrier 12
