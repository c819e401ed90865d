// A grid and a block of one dimension: the thread's number is the element's.
// compile: compute_52
// launch: <<<28,256>>> --size 100x70x33
// launch: <<<2,96>>>(A,B,C,M,N,K) --size 9x21x5
// result: chain

extern "C" __global__ void naive_1d(const float* A, const float* B, float* C, int M, int N, int K)
{
    int element = blockIdx.x * blockDim.x + threadIdx.x;
    if (element >= M * N)
        return;
    int row = element / N;
    int col = element % N;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k)
        acc += A[row * K + k] * B[k * N + col];
    C[element] = acc;
}
