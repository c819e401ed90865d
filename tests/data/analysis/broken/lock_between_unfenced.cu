// Warps of all blocks add to a sum in global memory under a lock, without fences.
// compile: compute_80
// launch: <<<4,64>>> --size 16

__device__ int lock;
__device__ float sum;

extern "C" __global__ void lock_between_unfenced(const float* A, const float* B, float* C, int M, int N, int K)
{
    int t = threadIdx.x;
    if (t % 32 == 0) {
        while (atomicCAS(&lock, 0, 1) != 0)
            ;
        sum += A[t];
        atomicExch(&lock, 0);
    }
}
// finds: race 14
