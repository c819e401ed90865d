// All threads add to one sum in shared memory.
// compile: compute_80
// launch: <<<2,128>>> --size 16

extern "C" __global__ void one_sum(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float sum;
    int t = threadIdx.x;
    if (t == 0)
        sum = 0.0f;
    __syncthreads();
    sum += A[t] * B[t];
    __syncthreads();
    if (t == 0)
        C[blockIdx.x] = sum;
}
// finds: race 12
