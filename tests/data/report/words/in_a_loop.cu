// launch: <<<2x128,64>>> --size 128
extern "C" __global__ void in_a_loop(const float *A, const float *B, float *C, int N) {
    __shared__ float s[64];
    int row = blockIdx.y, lane = threadIdx.x, col = blockIdx.x * 64 + lane;
    float sum = 0.0f;
    for (int t = 0; t < N; t += 64) {
        s[lane] = A[row * N + t + lane];
        __syncthreads();
        for (int k = 0; k < 64; k++) sum += s[k] * B[(t + k) * N + col];
    }
    C[row * N + col] = sum;
}
