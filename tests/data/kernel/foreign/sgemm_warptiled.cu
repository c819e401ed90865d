// Three levels: the block's tile is cut into one for each warp, that into two by two parts, of
// which a thread computes 4 x 4 elements each.
// compile: compute_70
// launch: <<<1x2,128>>> --size 128x64x16
// result: chain alpha

#define BM 64
#define BN 64
#define BK 8
#define WM 32
#define WN 32
#define TM 4
#define TN 4
#define THREADS 128

__global__ void __launch_bounds__(THREADS)
    sgemm_warptiled(int M, int N, int K, float alpha, const float* A, const float* B, float beta,
                    float* C)
{
    __shared__ __align__(16) float sA[BK][BM];
    __shared__ __align__(16) float sB[BK][BN];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    // A warp's part is 16 rows by 32 columns: 4 threads down, 8 across.
    const int down = warp / (BN / WN) * WM + lane / 8 * TM;
    const int right = warp % (BN / WN) * WN + lane % 8 * TN;

    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;

    float sum[2][TM][TN] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += THREADS)
            sA[i % BK][i / BK] = A[i / BK * K + i % BK];
        for (int i = threadIdx.x; i < BK * BN / 4; i += THREADS)
            reinterpret_cast<float4*>(&sB[i / (BN / 4)][0])[i % (BN / 4)] =
                reinterpret_cast<const float4*>(&B[i / (BN / 4) * N])[i % (BN / 4)];
        __syncthreads();
        A += BK;
        B += BK * N;
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float rb[TN];
#pragma unroll
            for (int j = 0; j < TN; ++j)
                rb[j] = sB[k][right + j];
#pragma unroll
            for (int part = 0; part < 2; ++part)
#pragma unroll
                for (int i = 0; i < TM; ++i) {
                    const float a = sA[k][down + part * 16 + i];
#pragma unroll
                    for (int j = 0; j < TN; ++j)
                        sum[part][i][j] += a * rb[j];
                }
        }
        __syncthreads();
    }
    for (int part = 0; part < 2; ++part)
        for (int i = 0; i < TM; ++i) {
            float4* c = reinterpret_cast<float4*>(&C[(down + part * 16 + i) * N + right]);
            float4 was = *c;
            const float* s = sum[part][i];
            *c = make_float4(alpha * s[0] + beta * was.x, alpha * s[1] + beta * was.y,
                             alpha * s[2] + beta * was.z, alpha * s[3] + beta * was.w);
        }
}
