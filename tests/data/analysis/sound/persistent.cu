// A few blocks take the elements of C in turn.
// compile: compute_80
// launch: <<<5,96>>> --size 40x36x44

extern "C" __global__ void persistent(const float* A, const float* B, float* C, int M, int N, int K)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < M * N; i += gridDim.x * blockDim.x) {
        float acc = 0.0f;
        for (int k = 0; k < K; ++k)
            acc += A[i / N * K + k] * B[k * N + i % N];
        C[i] = acc;
    }
}
