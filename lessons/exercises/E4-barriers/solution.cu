// Exercise E4: as few barriers as possible.
// launch: matmul<<<dim3((N+15)/16,(M+15)/16),dim3(16,16)>>>(A,B,C,M,N,K) --size 64

__global__ void matmul(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float sA[16][16];
    __shared__ float sB[16][16];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty;
    int col = blockIdx.x * 16 + tx;

    float sum = 0.0f;
    for (int t = 0; t < K; t += 16) {
        sA[ty][tx] = row < M && t + tx < K ? A[row * K + t + tx] : 0.0f;
        sB[ty][tx] = t + ty < K && col < N ? B[(t + ty) * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 16; ++k)
            sum += sA[ty][k] * sB[k][tx];
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}
