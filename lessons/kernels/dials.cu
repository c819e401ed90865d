// C = A x B in float32 with tiles in shared memory, and with dials: seven choices, each a macro whose
// value is the number of the choice, counted from 0.
//
// dial ALONG (threadIdx.x runs along): columns | rows
// dial STORED (the tile of A is stored): as it lies | transposed
// dial PADDING (words in a row of sA): 16 | 17
// dial BEFORE (barrier before the sum): yes | no
// dial AFTER (barrier after the sum): yes | no
// dial EDGE (beyond the edge): zeros | nothing | no guard | return
// dial ROUND (tiles along k): rounded up | rounded down | gridDim.x
//
// start: STORED=transposed, AFTER=no
// launch: <<<,16x16>>> --size 64

#define TILE 16

#if STORED == 0
#define STORED_A sA[ty][tx]
#define LOADED_A sA[ty][k]
#else
#define STORED_A sA[tx][ty]
#define LOADED_A sA[k][ty]
#endif

extern "C" __global__ void dials(const float* A, const float* B, float* C,
                                 int M, int N, int K)
{
#if PADDING == 0
    __shared__ float sA[TILE][TILE];
#else
    __shared__ float sA[TILE][TILE + 1];
#endif
    __shared__ float sB[TILE][TILE];

#if ALONG == 0
    int tx = threadIdx.x;
    int ty = threadIdx.y;
#else
    int tx = threadIdx.y;
    int ty = threadIdx.x;
#endif
    int col = blockIdx.x * TILE + tx;
    int row = blockIdx.y * TILE + ty;

#if EDGE == 3
    if (row >= M || col >= N) return;
#endif

#if ROUND == 0
    int tiles = (K - 1) / TILE + 1;
#elif ROUND == 1
    int tiles = K / TILE;
#else
    int tiles = gridDim.x;
#endif

    float acc = 0.0f;
    for (int tile = 0; tile < tiles; ++tile) {
        int t = tile * TILE;

        // Each thread brings one element of each tile.
#if EDGE == 0 || EDGE == 3
        STORED_A = row < M && t + tx < K ? A[row * K + t + tx] : 0.0f;
        sB[ty][tx] = t + ty < K && col < N ? B[(t + ty) * N + col] : 0.0f;
#elif EDGE == 1
        if (row < M && t + tx < K) STORED_A = A[row * K + t + tx];
        if (t + ty < K && col < N) sB[ty][tx] = B[(t + ty) * N + col];
#else
        STORED_A = A[row * K + t + tx];
        sB[ty][tx] = B[(t + ty) * N + col];
#endif

#if BEFORE == 0
        __syncthreads();
#endif

        for (int k = 0; k < TILE; ++k)
            acc += LOADED_A * sB[k][tx];

#if AFTER == 0
        __syncthreads();
#endif
    }

    if (row < M && col < N)
        C[row * N + col] = acc;
}
