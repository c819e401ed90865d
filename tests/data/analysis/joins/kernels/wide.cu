// Tiles of other elements: float64 (WORD = double), 16-bit halves by their bits (WORD = short).
#ifndef TILE
#define TILE 16
#endif
extern "C" __global__ void wide(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ WORD sA[TILE][TILE];
    __shared__ WORD sB[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * TILE + tx, row = blockIdx.y * TILE + ty;
    WORD acc = 0;
    for (int t = 0; t < K; t += TILE) {
        sA[ty][tx] = row < M && t + tx < K ? (WORD)A[row * K + t + tx] : (WORD)0;
        sB[ty][tx] = t + ty < K && col < N ? (WORD)B[(t + ty) * N + col] : (WORD)0;
        __syncthreads();
        for (int k = 0; k < TILE; ++k)
            acc += sA[ty][k] * sB[k][tx];
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = (float)acc;
}
