// Shared memory that only the launch knows the size of: two tiles as large as the block.
// compile: compute_52
// launch: <<<,16x16,2048>>> --size 100x70x33
// launch: <<<,8x8,512>>> --size 20x30x17
// result: chain

extern "C" __global__ void dynamic_shared(const float* A, const float* B, float* C, int M, int N, int K)
{
    extern __shared__ float tiles[];
    const int side = blockDim.x;
    float* sA = tiles;
    float* sB = tiles + side * side;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * side + ty, col = blockIdx.x * side + tx;

    float sum = 0.0f;
    for (int k0 = 0; k0 < K; k0 += side) {
        sA[ty * side + tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
        sB[ty * side + tx] = col < N && k0 + ty < K ? B[(k0 + ty) * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < side; ++k)
            sum += sA[ty * side + k] * sB[k * side + tx];
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}
