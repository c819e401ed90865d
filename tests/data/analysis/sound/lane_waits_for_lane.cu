// A lane waits for another of its warp: they go on by themselves since Volta.
// compile: compute_80
// launch: <<<1,32>>> --size 16

extern "C" __global__ void lane_waits_for_lane(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ volatile int ready;
    __shared__ float data;
    int t = threadIdx.x;
    if (t == 0)
        ready = 0;
    __syncwarp();
    if (t == 0) {
        while (!ready)
            ;
        __threadfence_block();
        C[0] = data;
    } else if (t == 16) {
        data = A[0];
        __threadfence_block();
        ready = 1;
    }
}
