// Three dimensions in the grid and in the block: each layer along z computes its share of the rows.
// compile: compute_70
// launch: <<<3x2x2,16x2x4>>> --size 30x45x19
// result: chain

extern "C" __global__ void grid_z(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int layers = gridDim.z * blockDim.z;
    const int layer = blockIdx.z * blockDim.z + threadIdx.z;
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int step = layers * gridDim.y * blockDim.y;
    for (int row = layer + layers * (blockIdx.y * blockDim.y + threadIdx.y); row < M; row += step)
        if (col < N) {
            float sum = 0.0f;
            for (int k = 0; k < K; ++k)
                sum += A[row * K + k] * B[k * N + col];
            C[row * N + col] = sum;
        }
}
