// The tiled kernel in the forms whose shared loads ptxas joins or does not join.
//
// ROW: threadIdx.x runs along the rows of C. TRANSPOSED: the tile of A is stored column by column.
// PAD: words behind each row of the tiles.
#ifndef TILE
#define TILE 16
#endif
#ifndef PAD
#define PAD 0
#endif

extern "C" __global__ void tiled(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float sA[TILE][TILE + PAD];
    __shared__ float sB[TILE][TILE + PAD];
#ifdef ROW
    int tx = threadIdx.y, ty = threadIdx.x;
    int col = blockIdx.y * TILE + tx, row = blockIdx.x * TILE + ty;
#else
    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * TILE + tx, row = blockIdx.y * TILE + ty;
#endif
    float acc = 0.0f;
    for (int t = 0; t < K; t += TILE) {
        float a = row < M && t + tx < K ? A[row * K + t + tx] : 0.0f;
        float b = t + ty < K && col < N ? B[(t + ty) * N + col] : 0.0f;
#ifdef TRANSPOSED
        sA[tx][ty] = a;
#else
        sA[ty][tx] = a;
#endif
        sB[ty][tx] = b;
        __syncthreads();
        for (int k = 0; k < TILE; ++k)
#ifdef TRANSPOSED
            acc += sA[k][ty] * sB[k][tx];
#else
            acc += sA[ty][k] * sB[k][tx];
#endif
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = acc;
}
