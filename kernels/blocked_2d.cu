// C = A x B in float32: each thread computes a square of TM x TN elements of C.
//
// A column of TM elements shares one element of B. A square shares both ways:
// TM values of A and TN values of B, loaded once into registers, feed TM x TN
// multiply-adds. With 8 x 8 that is 16 loads for 64 multiply-adds; the column
// of 8 needed 9 for 8. This is the outer product of a piece of a column of A
// and a piece of a row of B, the heart of every fast kernel that follows.
//
// The price: TM x TN accumulators, so many registers, so fewer threads that
// fit on a multiprocessor. It pays: the 64 sums of one thread do not wait for
// each other, so few threads are enough to keep the arithmetic units busy.
//
// A block of BM / TM x BN / TN threads, numbered in one line, computes a
// BM x BN tile of C.

#ifndef BM
#define BM 128
#define BN 128
#define BK 16
#define TM 8
#define TN 8
#endif
#define THREADS (BM / TM * (BN / TN))

extern "C" __global__ void __launch_bounds__(THREADS)
blocked_2d(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float sA[BM][BK];
    __shared__ float sB[BK][BN];

    int t = threadIdx.x;
    int firstRow = blockIdx.y * BM;
    int firstCol = blockIdx.x * BN;

    // Where this thread's square begins in the tile of C.
    int tx = t % (BN / TN) * TN;
    int ty = t / (BN / TN) * TM;

    float acc[TM][TN] = {};

    for (int k0 = 0; k0 < K; k0 += BK) {
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
            float a[TM], b[TN];
            #pragma unroll
            for (int i = 0; i < TM; ++i)
                a[i] = sA[ty + i][k];
            #pragma unroll
            for (int j = 0; j < TN; ++j)
                b[j] = sB[k][tx + j];
            #pragma unroll
            for (int i = 0; i < TM; ++i)
                #pragma unroll
                for (int j = 0; j < TN; ++j)
                    acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }

    #pragma unroll
    for (int i = 0; i < TM; ++i) {
        #pragma unroll
        for (int j = 0; j < TN; ++j) {
            int row = firstRow + ty + i;
            int col = firstCol + tx + j;
            if (row < M && col < N)
                C[row * N + col] = acc[i][j];
        }
    }
}
