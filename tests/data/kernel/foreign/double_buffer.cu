// While one pair of tiles is multiplied, the next is on its way in registers; two pairs of tiles
// take turns, so that one barrier for each is enough.
// compile: compute_70
// launch: <<<5x7,16x16>>> --size 100x70x75
// result: chain

#define SIDE 16

extern "C" __global__ void double_buffer(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float sA[2][SIDE][SIDE + 1];
    __shared__ float sB[2][SIDE][SIDE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * SIDE + ty, col = blockIdx.x * SIDE + tx;

    auto fetchA = [&](int k) { return row < M && k + tx < K ? A[row * K + k + tx] : 0.0f; };
    auto fetchB = [&](int k) { return col < N && k + ty < K ? B[(k + ty) * N + col] : 0.0f; };

    sA[0][ty][tx] = fetchA(0);
    sB[0][ty][tx] = fetchB(0);
    __syncthreads();

    float sum = 0.0f;
    int turn = 0;
    for (int k0 = 0; k0 < K; k0 += SIDE, turn ^= 1) {
        const bool more = k0 + SIDE < K;
        const float a = more ? fetchA(k0 + SIDE) : 0.0f;
        const float b = more ? fetchB(k0 + SIDE) : 0.0f;
        for (int k = 0; k < SIDE; ++k)
            sum += sA[turn][ty][k] * sB[turn][k][tx];
        if (more) {
            sA[turn ^ 1][ty][tx] = a;
            sB[turn ^ 1][ty][tx] = b;
        }
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}
