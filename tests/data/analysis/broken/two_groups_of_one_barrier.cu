// Groups of 64 threads; two of them have one barrier, and meet each other by chance.
// compile: compute_80
// launch: <<<1,256>>> --size 32

extern "C" __global__ void two_groups_of_one_barrier(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float s[256];
    int t = threadIdx.x, group = t / 64;
    s[t] = A[t];
    __syncthreads();
    asm volatile("bar.sync %0, 64;" :: "r"(1 + group / 2) : "memory");
    C[t] = s[t ^ 63];
}
// finds: barrier 11
