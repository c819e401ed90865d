// C = A x B in float32: the 2-D blocked kernel, with four floats to each access.
//
// A load of a float4 is one instruction for 16 bytes: a quarter of the
// instructions, of the address arithmetic and of the requests to memory.
// Three conditions, and how they are met:
// - The four floats lie side by side. Rows of A and of B do in global memory.
//   In shared memory a thread needs TM values of one *column* of A's tile; so
//   the tile is stored transposed, on its way from global to shared memory.
// - The address is a multiple of 16 bytes. It is, when the length of the rows
//   is a multiple of four. If not, the four floats are loaded one by one.
// - All four are inside the matrix. At the right edge that holds too when the
//   length of the rows is a multiple of four.

#ifndef BM
#define BM 128
#define BN 128
#define BK 16
#define TM 8
#define TN 8
#endif
#define THREADS (BM / TM * (BN / TN))

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
vectorised(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(16) float sA[BK][BM];  // transposed: [k][row]
    __shared__ __align__(16) float sB[BK][BN];

    int t = threadIdx.x;
    int firstRow = blockIdx.y * BM;
    int firstCol = blockIdx.x * BN;
    int tx = t % (BN / TN) * TN;
    int ty = t / (BN / TN) * TM;

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
                *(float4*)&a[i] = *(const float4*)&sA[k][ty + i];
            #pragma unroll
            for (int j = 0; j < TN; j += 4)
                *(float4*)&b[j] = *(const float4*)&sB[k][tx + j];
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
            store4(C, firstRow + ty + i, firstCol + tx + j, M, N,
                   *(float4*)&acc[i][j]);
}
