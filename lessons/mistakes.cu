// Three kernels with a mistake each; all of them compute the right C when one tries them.

// The next tile is loaded while other warps still read this one.
extern "C" __global__ void forgets_a_barrier(const float *A, const float *B, float *C, int M, int N, int K) {
    __shared__ float sA[16][16], sB[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0.0f;
    for (int t = 0; t < K; t += 16) {
        sA[ty][tx] = A[row * K + t + tx];
        sB[ty][tx] = B[(t + ty) * N + col];
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += sA[ty][k] * sB[k][tx];
    }
    C[row * N + col] = sum;
}

// Neighbouring threads take neighbouring rows.
extern "C" __global__ void reads_down_the_rows(const float *A, const float *B, float *C, int M, int N, int K) {
    int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}

// The tile of A is kept transposed.
extern "C" __global__ void turns_a_tile(const float *A, const float *B, float *C, int M, int N, int K) {
    __shared__ float sA[32][32], sB[32][32];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 32 + ty, col = blockIdx.x * 32 + tx;
    float sum = 0.0f;
    for (int t = 0; t < K; t += 32) {
        sA[tx][ty] = A[row * K + t + tx];
        sB[ty][tx] = B[(t + ty) * N + col];
        __syncthreads();
        for (int k = 0; k < 32; ++k) sum += sA[k][ty] * sB[k][tx];
        __syncthreads();
    }
    C[row * N + col] = sum;
}
