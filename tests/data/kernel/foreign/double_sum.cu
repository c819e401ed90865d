// Sums in double precision, rounded once.
// compile: compute_52
// launch: <<<,16x16>>> --size 40x50x33
// result: double

extern "C" __global__ void double_sum(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < N) {
        double sum = 0.0;
        for (int k = 0; k < K; ++k)
            sum += (double)A[row * K + k] * (double)B[k * N + col];
        C[row * N + col] = (float)sum;
    }
}
