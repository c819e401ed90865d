// A warp for each element of C: every lane adds up each 32nd product, then the lanes' sums are
// folded together, the upper half onto the lower.
// compile: compute_70
// launch: <<<11x3,32x8>>> --size 20x11x100
// result: lanes

extern "C" __global__ void warp_dot(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M)
        return;
    float sum = 0.0f;
    for (int k = threadIdx.x; k < K; k += 32)
        sum += A[row * K + k] * B[k * N + col];
    for (int down = 16; down > 0; down /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, down);
    if (threadIdx.x == 0)
        C[row * N + col] = sum;
}
