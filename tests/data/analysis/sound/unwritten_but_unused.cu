// Rows outside the matrix are never written and never matter.
// compile: compute_80
// launch: <<<,16x16>>> --size 40x36x16

extern "C" __global__ void unwritten_but_unused(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float sA[16][16];
    __shared__ float sB[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
    float acc = 0.0f;
    if (row < M && tx < K)
        sA[ty][tx] = A[row * K + tx];
    if (ty < K && col < N)
        sB[ty][tx] = B[ty * N + col];
    __syncthreads();
    for (int k = 0; k < 16; ++k)
        acc += sA[ty][k] * sB[k][tx];
    if (row < M && col < N)
        C[row * N + col] = acc;
}
