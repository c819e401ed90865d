// Lanes look for the greatest of their warp in volatile memory, with no __syncwarp().
// compile: compute_80
// launch: <<<1,32>>> --size 16

extern "C" __global__ void volatile_maximum(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ volatile float s[64];
    int t = threadIdx.x;
    s[t] = A[t];
    s[t + 32] = A[t + 32];
    #pragma unroll 1
    for (int d = 32; d; d /= 2)
        if (t < d && s[t] < s[t + d])
            s[t] = s[t + d];
    if (t == 0)
        C[0] = s[0];
}
// finds: race 9 13
// finds: race 9 14
// finds: race 13 14
// finds: race 14
