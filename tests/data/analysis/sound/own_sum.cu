// Each thread adds to its own element of C, which it has set to zero.
// compile: compute_80
// launch: <<<,16x16>>> --size 40x36x44

extern "C" __global__ void own_sum(const float* A, const float* B, float* C, int M, int N, int K)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && col < N) {
        C[row * N + col] = 0.0f;
        for (int k = 0; k < K; ++k)
            C[row * N + col] += A[row * K + k] * B[k * N + col];
    }
}
