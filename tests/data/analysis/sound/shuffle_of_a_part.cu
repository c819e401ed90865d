// Lanes beyond the data have ended; what they would give is not used.
// compile: compute_52
// launch: <<<2,32>>> --size 7

extern "C" __global__ void shuffle_of_a_part(const float* A, const float* B, float* C, int M, int N, int K)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    if (i >= M * N)
        return;
    float next = __shfl_down_sync(0xffffffff, A[i], 1);
    C[i] = i % 32 == 31 || i == M * N - 1 ? 0.0f : next - A[i];
}
