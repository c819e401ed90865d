// Warps add to a sum in shared memory under a lock, without fences.
// compile: compute_80
// launch: <<<2,128>>> --size 16

extern "C" __global__ void lock_within_unfenced(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ int lock;
    __shared__ float sum;
    int t = threadIdx.x;
    if (t == 0) {
        lock = 0;
        sum = 0.0f;
    }
    __syncthreads();
    if (t % 32 == 0) {
        while (atomicCAS(&lock, 0, 1) != 0)
            ;
        sum += A[t];
        atomicExch(&lock, 0);
    }
    __syncthreads();
    if (t == 0)
        C[blockIdx.x] = sum;
}
// finds: race 18
