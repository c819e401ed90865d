// Register blocking in one dimension: a thread computes a column of eight elements.
// compile: compute_70
// launch: <<<1x2,512>>> --size 128x64x16
// result: chain alpha

#define BM 64
#define BN 64
#define BK 8
#define TM 8

__global__ void sgemm_1d(int M, int N, int K, float alpha, const float* A, const float* B,
                         float beta, float* C)
{
    __shared__ float sA[BM][BK];
    __shared__ float sB[BK][BN];
    const int col = threadIdx.x % BN;
    const int strip = threadIdx.x / BN * TM;
    const int top = blockIdx.y * BM;
    const int left = blockIdx.x * BN;

    float sum[TM] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        sA[threadIdx.x / BK][threadIdx.x % BK] =
            A[(top + threadIdx.x / BK) * K + k0 + threadIdx.x % BK];
        sB[threadIdx.x / BN][col] = B[(k0 + threadIdx.x / BN) * N + left + col];
        __syncthreads();
        for (int k = 0; k < BK; ++k) {
            const float b = sB[k][col];
            for (int i = 0; i < TM; ++i)
                sum[i] += sA[strip + i][k] * b;
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i) {
        float* c = &C[(top + strip + i) * N + left + col];
        *c = alpha * sum[i] + beta * *c;
    }
}
