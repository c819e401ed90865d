// No thread asks whether its element exists.
// compile: compute_80
// launch: <<<,16x16>>> --size 40x36x44

extern "C" __global__ void no_guard(const float* A, const float* B, float* C, int M, int N, int K)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k)
        acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
}
// finds: memory 11
