// launch: <<<,8x8>>> --size 40
extern "C" __global__ void next_row(const float *A, const float *B, float *C, int N) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < N; k++) sum += A[(row + 1) % N * N + k] * B[k * N + col];
    C[row * N + col] = sum;
}
