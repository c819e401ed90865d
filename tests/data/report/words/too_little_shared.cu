// launch: <<<,16x16,1024>>> --size 64
extern "C" __global__ void too_little_shared(const float *A, const float *B, float *C, int N) {
    extern __shared__ float tile[];
    float *sA = tile, *sB = tile + 16 * 16;
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0.0f;
    for (int t = 0; t < N / 16; t++) {
        sA[threadIdx.y * 16 + threadIdx.x] = A[row * N + t * 16 + threadIdx.x];
        sB[threadIdx.y * 16 + threadIdx.x] = B[(t * 16 + threadIdx.y) * N + col];
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += sA[threadIdx.y * 16 + k] * sB[k * 16 + threadIdx.x];
        __syncthreads();
    }
    C[row * N + col] = sum;
}
