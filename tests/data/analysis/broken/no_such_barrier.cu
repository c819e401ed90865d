// A barrier with the number 16.
// compile: compute_80
// launch: <<<1,64>>> --size 16

extern "C" __global__ void no_such_barrier(const float* A, const float* B, float* C, int M, int N, int K)
{
    int t = threadIdx.x;
    C[t] = A[t];
    asm volatile("bar.sync %0;" :: "r"(K) : "memory");
    C[t] += B[t];
}
// finds: barrier 9
