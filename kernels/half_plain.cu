// C = A x B, A and B in half precision, sums in float32, with plain multiply-adds.
//
// A half has 16 bits: 1 sign, 5 exponent, 10 fraction. Its steps are 1/1024 of
// the value: too coarse to add thousands of products. So the sums are float32,
// and so are the products: each value is converted when it arrives.
//
// Half the bytes come from global memory. All the rest is the warp tiled kernel,
// which did not wait for those bytes in the first place, and the multiply-adds
// are as many as before: it is no faster. What half precision is good for is the
// next kernel.
//
// Halves are declared as unsigned short: only cvt looks into them.

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

typedef unsigned short half_t;

__device__ float widen(half_t h)
{
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
    return f;
}

// Four neighbours in a row of a rows x cols matrix, as floats; zeros outside it.
// Four halves are 8 bytes, one load if the address is a multiple of 8.
__device__ float4 load4(const half_t* X, int row, int col, int rows, int cols)
{
    ushort4 h = make_ushort4(0, 0, 0, 0);
    const half_t* x = X + row * cols + col;
    if (cols % 4 == 0) {
        if (row < rows && col < cols) h = *(const ushort4*)x;
    } else if (row < rows) {
        if (col + 0 < cols) h.x = x[0];
        if (col + 1 < cols) h.y = x[1];
        if (col + 2 < cols) h.z = x[2];
        if (col + 3 < cols) h.w = x[3];
    }
    return make_float4(widen(h.x), widen(h.y), widen(h.z), widen(h.w));
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
half_plain(const half_t* A, const half_t* B, float* C, int M, int N, int K)
{
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

    #pragma unroll
    for (int i = 0; i < TM; ++i)
        #pragma unroll
        for (int j = 0; j < TN; j += 4)
            store4(C, firstRow + ty + i / 4 * 32 + i % 4, firstCol + tx + j * 4,
                   M, N, *(float4*)&acc[i][j]);
}
