// fails: traffic
// Only A is brought as a tile.
__global__ void matmul(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float sA[16][16];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty;
    int col = blockIdx.x * 16 + tx;

    float sum = 0.0f;
    for (int t = 0; t < K; t += 16) {
        sA[ty][tx] = row < M && t + tx < K ? A[row * K + t + tx] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 16; ++k)
            if (t + k < K && col < N)
                sum += sA[ty][k] * B[(t + k) * N + col];
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}
