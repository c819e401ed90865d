// An array that is indexed as the data go, so that no register can hold it: local memory. Eight
// partial sums for each thread, added up in their order at the end.
// compile: compute_52
// launch: <<<,16x8>>> --size 33x20x41
// result: round robin 8

extern "C" __global__ void local_array(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float part[8];
    for (int i = 0; i < 8; ++i)
        part[i] = 0.0f;
#pragma unroll 1
    for (int k = 0; k < K; ++k)
        part[k % 8] += A[row * K + k] * B[k * N + col];
    float sum = 0.0f;
    for (int i = 0; i < 8; ++i)
        sum += part[i];
    C[row * N + col] = sum;
}
