// The halves of a warp come to a __syncwarp() each, and wait there for each other.
// compile: compute_80
// launch: <<<1,64>>> --size 16

extern "C" __global__ void sync_at_two_places(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ volatile float s[64];
    int t = threadIdx.x;
    if (t % 32 < 16) {
        s[t] = A[t];
        __syncwarp();
        C[t] = s[t + 16] * 2.0f;
    } else {
        s[t] = B[t] * 5.0f;
        __syncwarp();
        C[t] = s[t - 16] * 3.0f + 1.0f;
    }
}
