// Half of a warp waits for the other half, which waits at the block's barrier.
// compile: compute_80
// launch: <<<1,64>>> --size 16

extern "C" __global__ void lanes_never_come(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ volatile float s[64];
    int t = threadIdx.x;
    if (t % 32 < 16) {
        s[t] = A[t];
        __syncwarp();
        C[t] = s[t + 16] * 2.0f;
    } else {
        s[t] = B[t] * 5.0f;
        __syncthreads();
        C[t] = s[t - 16] * 3.0f + 1.0f;
    }
}
// finds: barrier 11 15
