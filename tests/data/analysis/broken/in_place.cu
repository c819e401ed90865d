// The product is written over A while other blocks still read it.
// compile: compute_80
// launch: <<<,16x16>>> --size 32

extern "C" __global__ void in_place(const float* A, const float* B, float* C, int M, int N, int K)
{
    float* out = (float*)A;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && col < N) {
        float acc = 0.0f;
        for (int k = 0; k < K; ++k)
            acc += A[row * K + k] * B[k * N + col];
        out[row * N + col] = acc;
    }
}
// finds: race 13 14
