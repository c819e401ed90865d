// C = A x B in float32, with tiles in shared memory: the tiled kernel with a mistake.
//
// Whether C is right depends on the order of its warps. `matviz check --prove` finds
// one that spoils it.

extern "C" __global__ void tiled_no_load_barrier(const float* A, const float* B, float* C,
                                 int M, int N, int K)
{
    __shared__ __align__(16) float sA[TILE][TILE];
    __shared__ __align__(16) float sB[TILE][TILE];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int col = blockIdx.x * TILE + tx;
    int row = blockIdx.y * TILE + ty;

    // How far along k this thread finds elements of A and of B to bring;
    // beyond that, outside the matrices, it brings zeros.
    int endA = row < M ? K - tx : 0;
    int endB = col < N ? K - ty : 0;

    float acc = 0.0f;
    int tiles = (K - 1) / TILE + 1;
    for (int tile = 0; tile < tiles; ++tile) {
        int t = tile * TILE;

        // Each thread brings one element of each tile.
        sA[ty][tx] = t < endA ? A[row * K + t + tx] : 0.0f;
        sB[ty][tx] = t < endB ? B[(t + ty) * N + col] : 0.0f;

        // The products of these two tiles, added up:
        // TILE of them for each thread.

        for (int k = 0; k < TILE; ++k)
            acc += sA[ty][k] * sB[k][tx];

        // Nobody may overwrite the tiles before everybody has loaded from them.
        __syncthreads();
    }

    if (row < M && col < N)
        C[row * N + col] = acc;
}
