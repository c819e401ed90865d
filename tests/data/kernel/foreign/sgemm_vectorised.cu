// The same with float4: A's tile is stored transposed, so that both slices are read in fours.
// compile: compute_70
// launch: <<<1x2,64>>> --size 128x64x16
// result: chain alpha

#define BM 64
#define BN 64
#define BK 8
#define TM 8
#define TN 8
#define THREADS (BM / TM * BN / TN)

__device__ float4 four(const float* p)
{
    return *reinterpret_cast<const float4*>(p);
}

__global__ void __launch_bounds__(THREADS)
    sgemm_vectorised(int M, int N, int K, float alpha, const float* __restrict__ A,
                     const float* __restrict__ B, float beta, float* C)
{
    __shared__ __align__(16) float sA[BK][BM];
    __shared__ __align__(16) float sB[BK][BN];
    const int down = threadIdx.x / (BN / TN) * TM;
    const int right = threadIdx.x % (BN / TN) * TN;
    const int top = blockIdx.y * BM;
    const int left = blockIdx.x * BN;

    float sum[TM][TN] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = threadIdx.x; i < BM * BK / 4; i += THREADS) {
            const int row = i / (BK / 4), k = i % (BK / 4) * 4;
            const float4 a = four(&A[(top + row) * K + k0 + k]);
            sA[k][row] = a.x;
            sA[k + 1][row] = a.y;
            sA[k + 2][row] = a.z;
            sA[k + 3][row] = a.w;
        }
        for (int i = threadIdx.x; i < BK * BN / 4; i += THREADS) {
            const int k = i / (BN / 4), col = i % (BN / 4) * 4;
            *reinterpret_cast<float4*>(&sB[k][col]) = four(&B[(k0 + k) * N + left + col]);
        }
        __syncthreads();
        for (int k = 0; k < BK; ++k) {
            const float4 a[2] = {four(&sA[k][down]), four(&sA[k][down + 4])};
            const float4 b[2] = {four(&sB[k][right]), four(&sB[k][right + 4])};
            const float* ra = &a[0].x;
            const float* rb = &b[0].x;
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j)
                    sum[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; j += 4) {
            float4* c = reinterpret_cast<float4*>(&C[(top + down + i) * N + left + right + j]);
            float4 was = *c;
            was.x = alpha * sum[i][j] + beta * was.x;
            was.y = alpha * sum[i][j + 1] + beta * was.y;
            was.z = alpha * sum[i][j + 2] + beta * was.z;
            was.w = alpha * sum[i][j + 3] + beta * was.w;
            *c = was;
        }
}
