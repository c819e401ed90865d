// The first warp writes and ends; the others meet at a barrier of their own, and read.
// compile: compute_52
// launch: <<<1,96>>> --size 16

extern "C" __global__ void group_of_the_rest(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float s[32];
    int t = threadIdx.x;
    if (t < 32) {
        s[t] = A[t];
        return;
    }
    asm volatile("bar.sync 1, 64;" ::: "memory");
    C[t] = s[t % 32];
}

// finds: race 10 14
