// All threads write and fence, meet at a barrier, and one of them tells the other blocks.
// compile: compute_80
// launch: <<<4,64>>> --size 16

__device__ unsigned int arrived;
__device__ float partial[256];

extern "C" __global__ void all_fence(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ bool last;
    int t = threadIdx.x;
    partial[blockIdx.x * 64 + t] = A[blockIdx.x * 64 + t] * B[t];
    __threadfence();
    __syncthreads();
    if (t == 0)
        last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        __threadfence();
        float sum = 0.0f;
        for (int i = 0; i < 4; ++i)
            sum += partial[i * 64 + t];
        C[t] = sum;
    }
}
