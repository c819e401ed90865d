// Every thread adds to a sum under a lock, lane by lane, as threads of a warp can since Volta.
// compile: compute_80
// launch: <<<1,64>>> --size 16

extern "C" __global__ void lock_of_lanes(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ int lock;
    __shared__ float sum;
    int t = threadIdx.x;
    if (t == 0) {
        lock = 0;
        sum = 0.0f;
    }
    __syncthreads();
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            __threadfence_block();
            sum += A[t];
            __threadfence_block();
            atomicExch(&lock, 0);
            done = true;
        }
    }
    __syncthreads();
    if (t == 0)
        C[0] = sum;
}
