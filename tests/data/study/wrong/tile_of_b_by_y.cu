// launch: <<<,16x16>>> --size 60x52x44
#define T 16
extern "C" __global__ void tile_of_b_by_y(const float *A, const float *B, float *C, int M, int N, int K) {
    __shared__ float sA[T][T], sB[T][T];
    int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    float sum = 0.0f;
    for (int t = 0; t < (K + T - 1) / T; t++) {
        int a = t * T + threadIdx.x, b = t * T + threadIdx.y;
        sA[threadIdx.y][threadIdx.x] = row < M && a < K ? A[row * K + a] : 0.0f;
        sB[threadIdx.y][threadIdx.x] = b < K && col < N ? B[b * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < T; k++) sum += sA[threadIdx.y][k] * sB[k][threadIdx.y];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = sum;
}
