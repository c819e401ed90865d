// Register blocking: each thread computes TM x TN elements of C. COLUMN: the tile of A lies column
// by column. VECTOR: float4 to and from global memory. TWICE: two buffers in dynamic shared memory.
#define BM 64
#define BN 64
#define BK 8
#define TM 4
#define TN 4
#define THREADS (BM / TM * BN / TN)

extern "C" __global__ void blocked(const float* A, const float* B, float* C, int M, int N, int K)
{
#ifdef TWICE
    extern __shared__ float buffers[];
    float* sA = buffers;
    float* sB = buffers + 2 * BM * BK;
#else
    __shared__ float sA[BM * BK];
    __shared__ float sB[BK * BN];
#endif
    int id = threadIdx.x;
    int row = id / (BN / TN) * TM, col = id % (BN / TN) * TN;
    int top = blockIdx.y * BM, left = blockIdx.x * BN;
    float acc[TM][TN] = {};
#ifdef COLUMN
#define SA(i, k) sA[(k) * BM + (i)]
#else
#define SA(i, k) sA[(i) * BK + (k)]
#endif
    for (int t = 0; t < K; t += BK) {
#ifdef VECTOR
        if (id < BM * BK / 4) {
            int i = id / (BK / 4), k = id % (BK / 4) * 4;
            float4 a = *(const float4*)&A[(top + i) * K + t + k];
            SA(i, k) = a.x; SA(i, k + 1) = a.y; SA(i, k + 2) = a.z; SA(i, k + 3) = a.w;
        } else {
            int j = id - BM * BK / 4, k = j / (BN / 4), n = j % (BN / 4) * 4;
            *(float4*)&sB[k * BN + n] = *(const float4*)&B[(t + k) * N + left + n];
        }
#else
        for (int s = id; s < BM * BK; s += THREADS) {
            int i = s / BK, k = s % BK;
            SA(i, k) = top + i < M && t + k < K ? A[(top + i) * K + t + k] : 0.0f;
        }
        for (int s = id; s < BK * BN; s += THREADS) {
            int k = s / BN, n = s % BN;
            sB[s] = t + k < K && left + n < N ? B[(t + k) * N + left + n] : 0.0f;
        }
#endif
        __syncthreads();
        for (int k = 0; k < BK; ++k) {
            float a[TM], b[TN];
            for (int i = 0; i < TM; ++i) a[i] = SA(row + i, k);
            for (int j = 0; j < TN; ++j) b[j] = sB[k * BN + col + j];
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j)
                    acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
#ifdef TWICE
        sA = sA == buffers ? buffers + BM * BK : buffers;
        sB = sB == buffers + 2 * BM * BK ? buffers + 2 * BM * BK + BK * BN : buffers + 2 * BM * BK;
#endif
    }
    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j)
            if (top + row + i < M && left + col + j < N)
                C[(top + row + i) * N + left + col + j] = acc[i][j];
}
