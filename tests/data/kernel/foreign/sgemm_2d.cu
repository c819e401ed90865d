// Register blocking in two dimensions: a thread computes 8 x 8 elements from slices in registers.
// compile: compute_70
// launch: <<<1x2,64>>> --size 128x64x16
// result: chain alpha

#define BM 64
#define BN 64
#define BK 8
#define TM 8
#define TN 8
#define THREADS (BM / TM * BN / TN)

__global__ void __launch_bounds__(THREADS)
    sgemm_2d(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C)
{
    __shared__ float sA[BM][BK];
    __shared__ float sB[BK][BN];
    const int down = threadIdx.x / (BN / TN) * TM;
    const int right = threadIdx.x % (BN / TN) * TN;
    const float* a = A + blockIdx.y * BM * K;
    const float* b = B + blockIdx.x * BN;

    float sum[TM][TN] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += THREADS)
            sA[i / BK][i % BK] = a[i / BK * K + i % BK];
        for (int i = threadIdx.x; i < BK * BN; i += THREADS)
            sB[i / BN][i % BN] = b[i / BN * N + i % BN];
        __syncthreads();
        a += BK;
        b += BK * N;
        for (int k = 0; k < BK; ++k) {
            float ra[TM], rb[TN];
            for (int i = 0; i < TM; ++i)
                ra[i] = sA[down + i][k];
            for (int j = 0; j < TN; ++j)
                rb[j] = sB[k][right + j];
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j)
                    sum[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }
    float* c = C + (blockIdx.y * BM + down) * N + blockIdx.x * BN + right;
    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j)
            c[i * N + j] = alpha * sum[i][j] + beta * c[i * N + j];
}
