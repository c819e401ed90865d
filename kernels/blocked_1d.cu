// C = A x B in float32: each thread computes a column of TM elements of C.
//
// In the tiled kernel every multiply-add needs two values from shared memory,
// and the threads spend their time fetching, not calculating. The new idea:
// let one thread compute TM elements, one below the other. They all need the
// same element of B, so the thread loads it once and keeps it in a register.
// For TM multiply-adds it now loads 1 + TM values instead of 2 TM; and the
// TM values of A are the same for the whole warp, which costs one load for all.
//
// A block of BM / TM x BN threads, numbered in one line, computes a BM x BN
// tile of C. Tiles need not be square any more: that of A is BM x BK, that of
// B is BK x BN.

#ifndef BM
#define BM 64
#define BN 64
#define BK 16
#define TM 8
#endif
#define THREADS (BM / TM * BN)

extern "C" __global__ void __launch_bounds__(THREADS)
blocked_1d(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(16) float sA[BM][BK];
    __shared__ __align__(16) float sB[BK][BN];

    int t = threadIdx.x;
    int firstRow = blockIdx.y * BM;
    int firstCol = blockIdx.x * BN;

    // This thread's column of the tile, and the first of its TM rows. The lanes
    // of a warp have neighbouring columns and the same rows.
    int tx = t % BN;
    int ty = t / BN * TM;

    // Accumulators are an array only in the source: its indices are known when
    // the loops are unrolled, so each element lives in a register of its own.
    float acc[TM] = {};

    for (int k0 = 0; k0 < K; k0 += BK) {
        // The threads bring the tiles, THREADS elements of each at a time (a
        // number that divides both). What lies outside the matrices is zero.
        #pragma unroll
        for (int s = 0; s < BM * BK; s += THREADS) {
            int i = s + t;
            int row = firstRow + i / BK;
            int k = k0 + i % BK;
            sA[i / BK][i % BK] = row < M && k < K ? A[row * K + k] : 0.0f;
        }
        #pragma unroll
        for (int s = 0; s < BK * BN; s += THREADS) {
            int i = s + t;
            int k = k0 + i / BN;
            int col = firstCol + i % BN;
            sB[i / BN][i % BN] = k < K && col < N ? B[k * N + col] : 0.0f;
        }
        __syncthreads();

        #pragma unroll
        for (int k = 0; k < BK; ++k) {
            float b = sB[k][tx];
            #pragma unroll
            for (int i = 0; i < TM; ++i)
                acc[i] += sA[ty + i][k] * b;
        }
        __syncthreads();
    }

    int col = firstCol + tx;
    for (int i = 0; i < TM; ++i) {
        int row = firstRow + ty + i;
        if (row < M && col < N)
            C[row * N + col] = acc[i];
    }
}
