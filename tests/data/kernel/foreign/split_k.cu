// The sum over k is shared out along z of the grid; the parts are added to C by atomic additions.
// compile: compute_52
// launch: <<<3x2x4,16x16>>> --size 32x48x70
// launch: <<<2x2x1,16x16>>> --size 20x30x70
// result: tolerance 2e-6

extern "C" __global__ void split_k(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N)
        return;
    const int part = (K + gridDim.z - 1) / gridDim.z;
    const int end = min(K, (int)(blockIdx.z + 1) * part);
    float sum = 0.0f;
    for (int k = blockIdx.z * part; k < end; ++k)
        sum += A[row * K + k] * B[k * N + col];
    atomicAdd(&C[row * N + col], sum);
}
