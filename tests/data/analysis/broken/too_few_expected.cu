// A barrier for 32 threads, to which 64 come: it keeps nobody.
// compile: compute_80
// launch: <<<1,64>>> --size 16

extern "C" __global__ void too_few_expected(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = A[t];
    asm volatile("bar.sync 1, 32;" ::: "memory");
    C[t] = s[63 - t];
}
// finds: barrier 10
// finds: race 9 11
