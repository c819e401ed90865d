// The tile of A is loaded anew before all have done with it.
// compile: compute_80
// launch: <<<2x3,16x16>>> --size 40x36x44

extern "C" __global__ void reuses_tile_too_long(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float sA[16][16];
    __shared__ float sB[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty;
    float acc[2] = {0.0f, 0.0f};
    for (int t = 0; t < K; t += 16) {
        sA[ty][tx] = row < M && t + tx < K ? A[row * K + t + tx] : 0.0f;
        for (int half = 0; half < 2; ++half) {
            int col = blockIdx.x * 32 + half * 16 + tx;
            sB[ty][tx] = t + ty < K && col < N ? B[(t + ty) * N + col] : 0.0f;
            __syncthreads();
            for (int k = 0; k < 16; ++k)
                acc[half] += sA[ty][k] * sB[k][tx];
            if (half == 0)
                __syncthreads();
        }
    }
    for (int half = 0; half < 2; ++half) {
        int col = blockIdx.x * 32 + half * 16 + tx;
        if (row < M && col < N)
            C[row * N + col] = acc[half];
    }
}
// finds: race 13 19
// finds: race 16 19
