// A warp waits for the flag of another: volatile, with a fence on both sides.
// compile: compute_80
// launch: <<<1,64>>> --size 16

extern "C" __global__ void flag_within(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float data[32];
    __shared__ volatile int ready;
    int t = threadIdx.x;
    if (t == 0)
        ready = 0;
    __syncthreads();
    if (t < 32) {
        data[t] = A[t];
        __threadfence_block();
        __syncwarp();
        if (t == 0)
            ready = 1;
    } else {
        while (ready == 0)
            ;
        __threadfence_block();
        C[t - 32] = data[t - 32];
    }
}
