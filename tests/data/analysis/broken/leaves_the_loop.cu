// Threads leave the loop over the tiles one after the other, and with it the barrier.
// compile: compute_80
// launch: <<<1,64>>> --size 16

extern "C" __global__ void leaves_the_loop(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < K; k += 8) {
        s[t] = A[k * 16 + t % 16];
        __syncthreads();
        sum += s[63 - t];
        if (k >= t)
            break;
        __syncthreads();
    }
    C[t] = sum;
}
// finds: barrier 12 19
// finds: barrier 16 19
