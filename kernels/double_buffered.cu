// C = A x B in float32: the next tiles arrive while these are being used.
//
// So far a block works in turns: fetch, wait, calculate, wait. While it fetches
// nothing is calculated, and the first wait lasts as long as global memory is
// far. The new idea: two sets of tiles. While the threads calculate with one,
// the other is being filled.
//
// cp.async (compute capability 8.0 and later) makes that easy: it copies from
// global to shared memory without passing through registers and without
// waiting. Copies are committed in groups; wait_group waits for the older ones.
//
// It copies 16 bytes between addresses that are multiples of 16. So it brings
// the tiles that lie wholly inside matrices whose rows are a multiple of four
// floats; at the edges each element is loaded and stored as before.
//
// 16 bytes at a time it cannot transpose, so here sA keeps the shape that A has
// in memory: [row][k]. A thread now loads four steps of k at once from each of
// its rows. The padding puts the rows of eight lanes in different banks.

#ifndef BM
#define BM 128
#define BN 128
#define BK 16
#define WM 64
#define WN 32
#endif
#define TM (WM / 8)
#define TN (WN / 4)
#define THREADS (BM / WM * (BN / WN) * 32)

// Start a copy of 16 bytes.
__device__ void copy4(float* to, const float* from)
{
    unsigned shared = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :: "r"(shared), "l"(from) : "memory");
}

// One element of a rows x cols matrix; zero outside it.
__device__ float load(const float* X, int row, int col, int rows, int cols)
{
    return row < rows && col < cols ? X[row * cols + col] : 0.0f;
}

__device__ void store4(float* X, int row, int col, int rows, int cols, float4 v)
{
    if (row >= rows) return;
    float* x = X + row * cols + col;
    if (cols % 4 == 0) {
        if (col < cols) *(float4*)x = v;
    } else {
        if (col + 0 < cols) x[0] = v.x;
        if (col + 1 < cols) x[1] = v.y;
        if (col + 2 < cols) x[2] = v.z;
        if (col + 3 < cols) x[3] = v.w;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
double_buffered(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(16) float sA[2][BM][BK + 4];
    __shared__ __align__(16) float sB[2][BK][BN];

    int t = threadIdx.x;
    int firstRow = blockIdx.y * BM;
    int firstCol = blockIdx.x * BN;

    // This lane's first row and column. Its rows are 8 apart, its columns come
    // in groups of four that are 16 apart.
    int warp = t / 32;
    int lane = t % 32;
    int ty = warp / (BN / WN) * WM + lane / 2 % 8;
    int tx = warp % (BN / WN) * WN + (lane % 2 + lane / 16 * 2) * 4;

    float acc[TM][TN] = {};

    bool inside = firstRow + BM <= M && firstCol + BN <= N
               && K % 4 == 0 && N % 4 == 0;

    // Start to bring the tiles that begin at k0 into the set `buffer`.
    auto fetch = [&](int buffer, int k0) {
        if (inside && k0 + BK <= K) {
            #pragma unroll
            for (int s = 0; s < BM * BK / 4; s += THREADS) {
                int row = (s + t) / (BK / 4), k = (s + t) % (BK / 4) * 4;
                copy4(&sA[buffer][row][k], A + (firstRow + row) * K + k0 + k);
            }
            #pragma unroll
            for (int s = 0; s < BK * BN / 4; s += THREADS) {
                int k = (s + t) / (BN / 4), col = (s + t) % (BN / 4) * 4;
                copy4(&sB[buffer][k][col], B + (k0 + k) * N + firstCol + col);
            }
        } else {
            #pragma unroll
            for (int s = 0; s < BM * BK; s += THREADS) {
                int row = (s + t) / BK, k = (s + t) % BK;
                sA[buffer][row][k] = load(A, firstRow + row, k0 + k, M, K);
            }
            #pragma unroll
            for (int s = 0; s < BK * BN; s += THREADS) {
                int k = (s + t) / BN, col = (s + t) % BN;
                sB[buffer][k][col] = load(B, k0 + k, firstCol + col, K, N);
            }
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };

    fetch(0, 0);
    int tiles = (K - 1) / BK + 1;
    for (int tile = 0; tile < tiles; ++tile) {
        int buffer = tile % 2;

        // What this thread brings has arrived; after the barrier, everybody's.
        // And everybody has left the other set, which may be filled anew.
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
        if (tile + 1 < tiles)
            fetch(1 - buffer, (tile + 1) * BK);

        #pragma unroll
        for (int k = 0; k < BK; k += 4) {
            float a[TM][4];
            #pragma unroll
            for (int i = 0; i < TM; ++i)
                *(float4*)a[i] = *(const float4*)&sA[buffer][ty + i * 8][k];
            #pragma unroll
            for (int step = 0; step < 4; ++step) {
                float b[TN];
                #pragma unroll
                for (int j = 0; j < TN; j += 4)
                    *(float4*)&b[j] = *(const float4*)&sB[buffer][k + step][tx + j * 4];
                #pragma unroll
                for (int i = 0; i < TM; ++i)
                    #pragma unroll
                    for (int j = 0; j < TN; ++j)
                        acc[i][j] += a[i][step] * b[j];
            }
        }
    }

    #pragma unroll
    for (int i = 0; i < TM; ++i)
        #pragma unroll
        for (int j = 0; j < TN; j += 4)
            store4(C, firstRow + ty + i * 8, firstCol + tx + j * 4,
                   M, N, *(float4*)&acc[i][j]);
}
