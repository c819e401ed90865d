// tiled_transposed with one column more in sA, which nobody ever uses.
//
// Now the words that a warp stores lie TILE + 1 apart. 33 and 32 share no
// divisor: with TILE = 32 the lanes' words fall into 32 different banks, and
// the store takes one pass again. The price is TILE words of shared memory.
//
// Nothing else has changed: compare it line by line with tiled_transposed.cu.

extern "C" __global__ void tiled_padded(const float* A, const float* B, float* C,
                                        int M, int N, int K)
{
    __shared__ __align__(16) float sA[TILE][TILE + 1];
    __shared__ __align__(16) float sB[TILE][TILE];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int col = blockIdx.x * TILE + tx;
    int row = blockIdx.y * TILE + ty;

    int endA = row < M ? K - tx : 0;
    int endB = col < N ? K - ty : 0;

    float acc = 0.0f;
    int tiles = (K - 1) / TILE + 1;
    for (int tile = 0; tile < tiles; ++tile) {
        int t = tile * TILE;

        sA[tx][ty] = t < endA ? A[row * K + t + tx] : 0.0f;
        sB[ty][tx] = t < endB ? B[(t + ty) * N + col] : 0.0f;
        __syncthreads();

        for (int k = 0; k < TILE; ++k)
            acc += sA[k][ty] * sB[k][tx];
        __syncthreads();
    }

    if (row < M && col < N)
        C[row * N + col] = acc;
}
