// A barrier for 128 threads, to which 64 come.
// compile: compute_80
// launch: <<<1,128>>> --size 16

extern "C" __global__ void too_many_expected(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    if (t < 64) {
        s[t] = A[t];
        asm volatile("bar.sync 1, 128;" ::: "memory");
        C[t] = s[63 - t];
    } else {
        C[t] = B[t];
    }
}
// finds: barrier 11
