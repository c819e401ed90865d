// launch: <<<,8x8>>>(A,B,C,M,N,K,alpha=1.5f,beta=0.5f) --size 40x36x44
extern "C" __global__ void added_twice(const float *A, const float *B, float *C, int M, int N, int K,
                                   float alpha, float beta) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N) return;
    float sum = 0.0f;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = 2.0f * alpha * sum + beta * C[row * N + col];
}
