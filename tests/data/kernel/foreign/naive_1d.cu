// A grid and a block of one dimension: the thread's number is the element's.
// compile: compute_52
// launch: --grid 28 --block 256 --size 100,70,33
// launch: --grid 2 --block 96 --size 9,21,5 --args A,B,C,M,N,K
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
