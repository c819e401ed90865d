// Exercise E5: a turned tile without conflicts.
// launch: matmul<<<dim3((N+15)/16,(M+63)/64),dim3(16,16)>>>(A,B,C,M,N,K) --size 64

__global__ void matmul(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(16) float sA[16][68];
    __shared__ float sB[16][16];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int firstRow = blockIdx.y * 64;
    int col = blockIdx.x * 16 + tx;

    float sum[4] = {};
    for (int t = 0; t < K; t += 16) {
        #pragma unroll
        for (int i = 0; i < 4; ++i) {
            int row = firstRow + 16 * i + ty;
            sA[tx][16 * i + ty] = row < M && t + tx < K ? A[row * K + t + tx] : 0.0f;
        }
        sB[ty][tx] = t + ty < K && col < N ? B[(t + ty) * N + col] : 0.0f;
        __syncthreads();

        for (int k = 0; k < 16; ++k) {
            float4 a = *(const float4*)&sA[k][ty * 4];
            float b = sB[k][tx];
            sum[0] += a.x * b;
            sum[1] += a.y * b;
            sum[2] += a.z * b;
            sum[3] += a.w * b;
        }
        __syncthreads();
    }

    #pragma unroll
    for (int i = 0; i < 4; ++i) {
        int row = firstRow + ty * 4 + i;
        if (row < M && col < N)
            C[row * N + col] = sum[i];
    }
}
