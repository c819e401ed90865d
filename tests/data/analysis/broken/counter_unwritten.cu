// Nobody sets the counter to zero before all threads add to it.
// compile: compute_52
// launch: <<<2,64>>> --size 16

extern "C" __global__ void counter_unwritten(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float sum;
    atomicAdd(&sum, A[blockIdx.x * 64 + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0)
        C[blockIdx.x] = sum;
}

// finds: memory 8
