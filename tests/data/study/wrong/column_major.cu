// launch: <<<,8x8>>> --size 40x36x44
extern "C" __global__ void column_major(const float *A, const float *B, float *C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N) return;
    float sum = 0.0f;
    for (int k = 0; k < K; k++) sum += A[k * M + row] * B[col * K + k];
    C[col * M + row] = sum;
}
