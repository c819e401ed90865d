// launch: <<<,8x8>>> --size 64
#define N 32
extern "C" __global__ void compiled_in(const float *A, const float *B, float *C, int size) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= size || col >= size) return;
    float sum = 0.0f;
    for (int k = 0; k < N; k++) sum += A[row * N + k] * B[k * N + col];
    C[row * N + col] = sum;
}
