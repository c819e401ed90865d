// Two groups use one numbered barrier one after the other: all meet in between.
// compile: compute_80
// launch: <<<1,128>>> --size 32

extern "C" __global__ void groups_in_turn(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = A[t];
    for (int group = 0; group < 2; ++group) {
        if (t / 64 == group) {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            C[t] = s[t ^ 63];
        }
        __syncthreads();
    }
}
