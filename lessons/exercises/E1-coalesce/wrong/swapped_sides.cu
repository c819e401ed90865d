// fails: right
// Rows and columns are exchanged altogether: only a square C would be covered.
__global__ void matmul(const float* A, const float* B, float* C, int M, int N, int K)
{
    int row = blockIdx.x * 16 + threadIdx.y;
    int col = blockIdx.y * 16 + threadIdx.x;
    if (row >= M || col >= N) return;

    float sum = 0.0f;
    for (int k = 0; k < K; ++k)
        sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}
