// launch: <<<1x64,64x2>>> --size 64
extern "C" __global__ void exits_early(const float *A, const float *B, float *C, int N) {
    __shared__ float row0[64];
    int row = blockIdx.y, col = threadIdx.x;
    if (threadIdx.y == 1) { row0[col] = A[row * N + col]; return; }
    float sum = 0.0f;
    for (int k = 0; k < N; k++) sum += row0[k] * B[k * N + col];
    C[row * N + col] = sum;
}
