// Exercise E6: sixteen elements in registers.
// launch: matmul<<<dim3((N+31)/32,(M+31)/32),dim3(8,8)>>>(A,B,C,M,N,K) --size 64

__global__ void matmul(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float sA[32][16];
    __shared__ float sB[16][32];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int thread = ty * 8 + tx;
    int firstRow = blockIdx.y * 32;
    int firstCol = blockIdx.x * 32;

    float sum[4][4] = {};
    for (int t = 0; t < K; t += 16) {
        for (int i = thread; i < 32 * 16; i += 64) {
            int row = firstRow + i / 16;
            int k = t + i % 16;
            sA[i / 16][i % 16] = row < M && k < K ? A[row * K + k] : 0.0f;
        }
        for (int i = thread; i < 16 * 32; i += 64) {
            int k = t + i / 32;
            int col = firstCol + i % 32;
            sB[i / 32][i % 32] = k < K && col < N ? B[k * N + col] : 0.0f;
        }
        __syncthreads();

        for (int k = 0; k < 16; ++k) {
            float a[4];
            float b[4];
            #pragma unroll
            for (int i = 0; i < 4; ++i) {
                a[i] = sA[ty + 8 * i][k];
                b[i] = sB[k][tx + 8 * i];
            }
            #pragma unroll
            for (int i = 0; i < 4; ++i)
                #pragma unroll
                for (int j = 0; j < 4; ++j)
                    sum[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }

    #pragma unroll
    for (int i = 0; i < 4; ++i)
        #pragma unroll
        for (int j = 0; j < 4; ++j) {
            int row = firstRow + ty + 8 * i;
            int col = firstCol + tx + 8 * j;
            if (row < M && col < N)
                C[row * N + col] = sum[i][j];
        }
}
