// No barrier at all.
// compile: compute_80
// launch: <<<,16x16>>> --size 40x36x44

extern "C" __global__ void no_barriers(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float sA[16][16];
    __shared__ float sB[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
    float acc = 0.0f;
    for (int t = 0; t < K; t += 16) {
        sA[ty][tx] = row < M && t + tx < K ? A[row * K + t + tx] : 0.0f;
        sB[ty][tx] = t + ty < K && col < N ? B[(t + ty) * N + col] : 0.0f;
        for (int k = 0; k < 16; ++k)
            acc += sA[ty][k] * sB[k][tx];
    }
    if (row < M && col < N)
        C[row * N + col] = acc;
}
// finds: race 13 16
// finds: race 14 16
