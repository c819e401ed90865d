// The two halves of each of two warps meet at different barriers of one number.
// compile: compute_80
// launch: <<<1,64>>> --size 16

extern "C" __global__ void barriers_of_lanes_of_two_warps(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    if (t % 32 < 16) {
        s[t] = A[t];
        __syncthreads();
        C[t] = s[t + 16] * 2.0f;
    } else {
        s[t] = B[t];
        __syncthreads();
        C[t] = s[t - 16] * 3.0f;
    }
}
// finds: barrier 11 15
