// fails: stores
// The loads are coalesced; then the sums change hands, and are stored along the columns.
__global__ void matmul(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float sums[16][16];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty;
    int col = blockIdx.x * 16 + tx;
    float sum = 0.0f;
    if (row < M && col < N)
        for (int k = 0; k < K; ++k)
            sum += A[row * K + k] * B[k * N + col];
    sums[ty][tx] = sum;
    __syncthreads();
    row = blockIdx.y * 16 + tx;
    col = blockIdx.x * 16 + ty;
    if (row < M && col < N)
        C[row * N + col] = sums[tx][ty];
}
