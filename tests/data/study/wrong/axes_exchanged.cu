// launch: <<<,8x8>>> --size 40x20x44
// The columns are counted from the last: one block does not tell that its rows lie along x.
extern "C" __global__ void axes_exchanged(const float *A, const float *B, float *C, int M, int N, int K) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = N - 1 - (blockIdx.y * blockDim.y + threadIdx.y);
    if (row >= M || col < 0) return;
    float sum = 0.0f;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}
