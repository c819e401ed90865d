// The mapping that beginners try first: the row on threadIdx.x, so that a warp reads a column.
// compile: compute_52
// launch: <<<4x5,32x8>>> --size 100x37x33
// result: chain

extern "C" __global__ void naive_row_x(const float* A, const float* B, float* C, int M, int N, int K)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && col < N) {
        float acc = 0.0f;
        for (int k = 0; k < K; ++k)
            acc += A[row * K + k] * B[k * N + col];
        C[row * N + col] = acc;
    }
}
