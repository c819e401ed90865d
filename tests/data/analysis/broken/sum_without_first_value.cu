// A sum in a register that begins without a value.
// compile: compute_80
// launch: <<<,16x4>>> --size 32x32x20

extern "C" __global__ void sum_without_first_value(const float* A, const float* B, float* C, int M,
                                                   int N, int K)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum;
    for (int k = 0; k < K; ++k)
        sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}

// finds: memory 14
