// All threads leave the loop over the tiles together.
// compile: compute_80
// launch: <<<2,64>>> --size 16

extern "C" __global__ void leaves_together(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < K; k += 4) {
        s[t] = A[k * 16 + t % 16];
        __syncthreads();
        sum += s[63 - t];
        if (k >= (int)blockIdx.x * 8)
            break;
        __syncthreads();
    }
    C[blockIdx.x * 64 + t] = sum;
}
