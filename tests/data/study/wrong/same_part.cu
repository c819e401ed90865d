// launch: <<<,8x8>>> --size 40x36x44
extern "C" __global__ void same_part(const float *A, const float *B, float *C, int M, int N, int K) {
    int row = threadIdx.y, col = threadIdx.x;
    if (row >= M || col >= N) return;
    float sum = 0.0f;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}
