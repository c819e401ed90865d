// Each thread computes four rows of C from one element of B; a barrier on both sides of the work.
// compile: compute_80
// launch: <<<2x2,16x4>>> --size 32
extern "C" __global__ void four_by_one(const float *A, const float *B, float *C, int M, int N, int K) {
    __shared__ float sA[16][16], sB[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 16, col = blockIdx.x * 16 + tx;
    float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int t = 0; t < K; t += 16) {
        for (int i = ty; i < 16; i += 4) {
            sA[i][tx] = A[(row + i) * K + t + tx];
            sB[i][tx] = B[(t + i) * N + col];
        }
        __syncthreads();
        for (int k = 0; k < 16; ++k)
            for (int i = 0; i < 4; ++i) sum[i] += sA[4 * ty + i][k] * sB[k][tx];
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i) C[(row + 4 * ty + i) * N + col] = sum[i];
}
