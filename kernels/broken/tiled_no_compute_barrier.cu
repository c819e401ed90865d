// C = A x B in float32, with tiles in shared memory: the tiled kernel with a mistake.
//
// Tests are likely to miss it: in most runs C is right all the same. What is the
// mistake, and in which order of the warps does it spoil C? `matviz check` says
// the one, `--prove` the other.

extern "C" __global__ void tiled_no_compute_barrier(const float* A, const float* B, float* C,
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

        // Nobody may load from the tiles before everybody has stored his part.
        __syncthreads();

        for (int k = 0; k < TILE; ++k)
            acc += sA[ty][k] * sB[k][tx];

        // The sum now has the products up to here;
        // the next round brings the next tiles.
    }

    if (row < M && col < N)
        C[row * N + col] = acc;
}
