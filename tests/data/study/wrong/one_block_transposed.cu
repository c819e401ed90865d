// launch: <<<,8x8>>> --size 40
extern "C" __global__ void one_block_transposed(const float *A, const float *B, float *C, int N) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    bool turned = blockIdx.x == 4 && blockIdx.y == 4;
    float sum = 0.0f;
    for (int k = 0; k < N; k++) sum += A[row * N + k] * (turned ? B[col * N + k] : B[k * N + col]);
    C[row * N + col] = sum;
}
