// Lanes of one warp wait at barriers of different numbers.
// compile: compute_80
// launch: <<<1,64>>> --size 16

extern "C" __global__ void two_numbers(const float* A, const float* B, float* C, int M, int N, int K)
{
    int t = threadIdx.x;
    if (t % 2 == 0) {
        C[t] = A[t];
        asm volatile("barrier.sync 1;" ::: "memory");
    } else {
        C[t] = B[t];
        asm volatile("barrier.sync 2;" ::: "memory");
    }
    C[t] += 1.0f;
}
// finds: barrier 10 13
