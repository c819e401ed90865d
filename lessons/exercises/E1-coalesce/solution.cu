// Exercise E1: coalesce the loads.
// launch: matmul<<<dim3((N+15)/16,(M+15)/16),dim3(16,16)>>>(A,B,C,M,N,K) --size 64

__global__ void matmul(const float* A, const float* B, float* C, int M, int N, int K)
{
    int row = blockIdx.y * 16 + threadIdx.y;
    int col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N) return;

    float sum = 0.0f;
    for (int k = 0; k < K; ++k)
        sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}
