// Copies from global to shared memory that no register holds, a pair of tiles ahead: 4 bytes a
// time, zeros where the matrices end.
// compile: compute_80
// launch: <<<,16x16>>> --size 100x70x75
// result: chain

#define SIDE 16

__device__ void copy(float* to, const float* from, bool inside)
{
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
    const int bytes = inside ? 4 : 0;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(from), "r"(bytes));
}

extern "C" __global__ void cp_async(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float sA[2][SIDE][SIDE];
    __shared__ float sB[2][SIDE][SIDE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * SIDE + ty, col = blockIdx.x * SIDE + tx;

    auto fetch = [&](int turn, int k) {
        const bool inA = row < M && k + tx < K, inB = col < N && k + ty < K;
        copy(&sA[turn][ty][tx], inA ? &A[row * K + k + tx] : A, inA);
        copy(&sB[turn][ty][tx], inB ? &B[(k + ty) * N + col] : B, inB);
        asm volatile("cp.async.commit_group;");
    };

    fetch(0, 0);
    float sum = 0.0f;
    for (int k0 = 0, turn = 0; k0 < K; k0 += SIDE, turn ^= 1) {
        if (k0 + SIDE < K) {
            fetch(turn ^ 1, k0 + SIDE);
            asm volatile("cp.async.wait_group 1;");
        } else {
            asm volatile("cp.async.wait_group 0;");
        }
        __syncthreads();
        for (int k = 0; k < SIDE; ++k)
            sum += sA[turn][ty][k] * sB[turn][k][tx];
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}
