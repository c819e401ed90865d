// The tiled kernel without its first barrier: a lesson, not a kernel to use.
//
// Whether C is right depends on which warp happens to run first. `matviz race`
// finds an order of the warps that spoils it.

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

        // BROKEN: nothing keeps a warp from loading from the tiles before all others have
        // stored their parts. The __syncthreads() that belongs here is missing.

        for (int k = 0; k < TILE; ++k)
            acc += sA[ty][k] * sB[k][tx];

        // Nobody may overwrite the tiles before everybody has loaded from them.
        __syncthreads();
    }

    if (row < M && col < N)
        C[row * N + col] = acc;
}
