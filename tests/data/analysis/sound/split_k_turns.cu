// Blocks that share a tile of C add to it one after the other, each when its turn has come.
// compile: compute_80
// launch: <<<2x2x4,8x8>>> --size 16

__device__ int turn[4];

extern "C" __global__ void split_k_turns(const float* A, const float* B, float* C, int M, int N, int K)
{
    int tile = blockIdx.y * 2 + blockIdx.x;
    int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x;
    float acc = 0.0f;
    for (int k = blockIdx.z * 4; k < blockIdx.z * 4 + 4; ++k)
        acc += A[row * K + k] * B[k * N + col];
    if (threadIdx.x == 0 && threadIdx.y == 0)
        while (atomicAdd(&turn[tile], 0) != blockIdx.z)
            ;
    __syncthreads();
    __threadfence();
    C[row * N + col] = blockIdx.z == 0 ? acc : C[row * N + col] + acc;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0)
        atomicExch(&turn[tile], blockIdx.z + 1);
}
