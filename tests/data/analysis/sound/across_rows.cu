// A window around k runs into the next row, which is inside the matrix.
// compile: compute_80
// launch: <<<,16x16>>> --size 40x36x44

extern "C" __global__ void across_rows(const float* A, const float* B, float* C, int M, int N, int K)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M - 1 && col < N) {
        float acc = 0.0f;
        for (int k = 0; k <= K; ++k)
            acc += A[row * K + k];
        C[row * N + col] = acc;
    }
}
