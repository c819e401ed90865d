// Each warp sums up with shuffles: no shared memory, nothing to synchronise.
// compile: compute_80
// launch: <<<1,128>>> --size 16

extern "C" __global__ void shuffles(const float* A, const float* B, float* C, int M, int N, int K)
{
    float sum = A[threadIdx.x] * B[threadIdx.x];
    for (int stride = 16; stride > 0; stride /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, stride);
    if (threadIdx.x % 32 == 0)
        C[threadIdx.x / 32] = sum;
}
