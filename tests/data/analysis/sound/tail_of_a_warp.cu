// After the last barrier one warp goes on alone, the others end.
// compile: compute_80
// launch: <<<1,128>>> --size 16

extern "C" __global__ void tail_of_a_warp(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = A[t] * B[t];
    __syncthreads();
    if (t >= 32)
        return;
    float sum = s[t] + s[t + 32] + s[t + 64] + s[t + 96];
    __syncwarp();
    s[t] = sum;
    __syncwarp();
    if (t == 0) {
        float all = 0.0f;
        for (int k = 0; k < 32; ++k)
            all += s[k];
        C[0] = all;
    }
}
