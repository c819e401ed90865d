// C = A x B in float32: vector loads, and the lanes of a warp arranged so that
// they serve each other.
//
// Between the block and the thread stands the warp: its 32 lanes load shared
// memory together. What counts is how many *different* values a warp needs and
// in which banks they lie. Two changes to the vectorised kernel:
// - The warp's part of C is a rectangle of WM x WN, close to a square, its lanes
//   8 x 4. So a warp loads WM values of A and WN of B for WM x WN multiply-adds;
//   a flat strip, as 32 consecutive threads made before, loads more for the same.
// - A thread's rows are not side by side but in groups of four: lane 0 has rows
//   0-3, lane 1 rows 4-7, ..., and the next group of all begins 32 rows on.
//   So eight lanes load 8 x 16 neighbouring bytes, every bank once, without the
//   conflicts that squares side by side cause. Columns likewise, 16 apart.
//
// And which lane gets which place? Hardware serves a 16-byte load to 16 lanes
// at a time, instead of 8, if the lanes pair up on the same address. So bit 0
// of the lane number chooses the column (lanes 0 and 1 load the same values of
// A) and bit 1 the row (lanes 0 and 2 load the same values of B).

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

// Four neighbours in a row of a rows x cols matrix; zeros outside it.
__device__ float4 load4(const float* X, int row, int col, int rows, int cols)
{
    float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    const float* x = X + row * cols + col;
    if (cols % 4 == 0) {
        if (row < rows && col < cols) v = *(const float4*)x;
    } else if (row < rows) {
        if (col + 0 < cols) v.x = x[0];
        if (col + 1 < cols) v.y = x[1];
        if (col + 2 < cols) v.z = x[2];
        if (col + 3 < cols) v.w = x[3];
    }
    return v;
}

// The same way back.
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
warp_tiled(const float* A, const float* B, float* C, int M, int N, int K)
{
    // Four floats of padding: the transposing stores meet fewer conflicts, and
    // each row still begins at a multiple of 16 bytes.
    __shared__ __align__(16) float sA[BK][BM + 4];
    __shared__ __align__(16) float sB[BK][BN];

    int t = threadIdx.x;
    int firstRow = blockIdx.y * BM;
    int firstCol = blockIdx.x * BN;

    // The warp's rectangle, and this lane's first row and column.
    int warp = t / 32;
    int lane = t % 32;
    int ty = warp / (BN / WN) * WM + (lane / 2 % 8) * 4;
    int tx = warp % (BN / WN) * WN + (lane % 2 + lane / 16 * 2) * 4;

    float acc[TM][TN] = {};

    for (int k0 = 0; k0 < K; k0 += BK) {
        #pragma unroll
        for (int s = 0; s < BM * BK / 4; s += THREADS) {
            int i = s + t;
            int row = i / (BK / 4);
            int k = i % (BK / 4) * 4;
            float4 v = load4(A, firstRow + row, k0 + k, M, K);
            sA[k + 0][row] = v.x;
            sA[k + 1][row] = v.y;
            sA[k + 2][row] = v.z;
            sA[k + 3][row] = v.w;
        }
        #pragma unroll
        for (int s = 0; s < BK * BN / 4; s += THREADS) {
            int i = s + t;
            int k = i / (BN / 4);
            int col = i % (BN / 4) * 4;
            *(float4*)&sB[k][col] = load4(B, k0 + k, firstCol + col, K, N);
        }
        __syncthreads();

        #pragma unroll
        for (int k = 0; k < BK; ++k) {
            float a[TM], b[TN];
            #pragma unroll
            for (int i = 0; i < TM; i += 4)
                *(float4*)&a[i] = *(const float4*)&sA[k][ty + i * 8];
            #pragma unroll
            for (int j = 0; j < TN; j += 4)
                *(float4*)&b[j] = *(const float4*)&sB[k][tx + j * 4];
            #pragma unroll
            for (int i = 0; i < TM; ++i)
                #pragma unroll
                for (int j = 0; j < TN; ++j)
                    acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }

    // Element i of a group of four is i % 4; groups are 32 rows apart.
    #pragma unroll
    for (int i = 0; i < TM; ++i)
        #pragma unroll
        for (int j = 0; j < TN; j += 4)
            store4(C, firstRow + ty + i / 4 * 32 + i % 4, firstCol + tx + j * 4,
                   M, N, *(float4*)&acc[i][j]);
}
