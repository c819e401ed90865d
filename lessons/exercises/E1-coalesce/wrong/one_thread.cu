// fails: everybody
// The first lane of each row of a block computes the whole row.
__global__ void matmul(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float sums[16][16];
    int tx = threadIdx.x;
    int row = blockIdx.y * 16 + threadIdx.y;
    int col = blockIdx.x * 16 + tx;
    if (tx == 0 && row < M)
        for (int i = 0; i < 16; ++i) {
            float sum = 0.0f;
            if (col + i < N)
                for (int k = 0; k < K; ++k)
                    sum += A[row * K + k] * B[k * N + col + i];
            sums[threadIdx.y][i] = sum;
        }
    __syncthreads();
    if (row < M && col < N)
        C[row * N + col] = sums[threadIdx.y][tx];
}
