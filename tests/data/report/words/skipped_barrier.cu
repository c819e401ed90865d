// launch: <<<1x64,64>>> --size 64
extern "C" __global__ void skipped_barrier(const float *A, const float *B, float *C, int N) {
    __shared__ float s[64];
    int row = blockIdx.y, col = threadIdx.x;
    s[col] = A[row * N + col];
    if (N % 64 != 0) __syncthreads();
    float x = s[63 - col];
    float sum = 0.0f * x;
    for (int k = 0; k < N; k++) sum += A[row * N + k] * B[k * N + col];
    C[row * N + col] = sum;
}
