// launch: <<<,8x8>>> --size 40x36x44
#define TILE 8
extern "C" __global__ void k_cut_short(const float *A, const float *B, float *C, int M, int N, int K) {
    __shared__ float sA[TILE][TILE];
    __shared__ float sB[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int tile = 0; tile < K / TILE; tile++) {
        int a = tile * TILE + threadIdx.x;
        int b = tile * TILE + threadIdx.y;
        sA[threadIdx.y][threadIdx.x] = row < M ? A[row * K + a] : 0.0f;
        sB[threadIdx.y][threadIdx.x] = col < N ? B[b * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum += sA[threadIdx.y][k] * sB[k][threadIdx.x];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = sum;
}
