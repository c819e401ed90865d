// Variables of the module: a table in constant memory, one in global memory, and their initial
// values; the weights add up to one.
// compile: compute_70
// launch: <<<,16x8>>> --size 24x36x17
// result: tolerance 1e-6

__constant__ float weight[4] = {0.5f, 0.25f, 0.125f, 0.125f};
__device__ int order[4] = {2, 0, 3, 1};

extern "C" __global__ void constant_tables(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) {
        const float product = A[row * K + k] * B[k * N + col];
        for (int i = 0; i < 4; ++i)
            sum += weight[order[i]] * product;
    }
    C[row * N + col] = sum;
}
