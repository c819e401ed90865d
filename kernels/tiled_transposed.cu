// The tiled kernel with the tile of A stored transposed: sA[k][row], as the
// faster kernels to come will want it, so that the elements of A for one k are
// neighbours. Done without care it runs into bank conflicts.
//
// Shared memory has 32 banks, each 4 bytes wide: word w lies in bank w % 32.
// One pass serves all lanes of a warp only if no two of them want different
// words of one bank. In sA[tx][ty] the lanes differ in tx, so their words lie
// TILE words apart: with TILE = 32 all 32 fall into the same bank, and one
// store takes 32 passes instead of 1.
//
// Global memory sees no difference: only where a word is put has changed.

extern "C" __global__ void tiled_transposed(const float* A, const float* B, float* C,
                                            int M, int N, int K)
{
    __shared__ __align__(16) float sA[TILE][TILE];
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

        // The lanes of a warp load a row of A and store it down a column of sA.
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
