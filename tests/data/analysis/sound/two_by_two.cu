// Each thread computes 2 x 2 elements from tiles of 32 x 8.
// compile: compute_80
// launch: <<<,16x16>>> --size 40x36x44

extern "C" __global__ void two_by_two(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float sA[8][32];
    __shared__ float sB[8][32];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    int row = blockIdx.y * 32, col = blockIdx.x * 32;
    float acc[2][2] = {};
    for (int k0 = 0; k0 < K; k0 += 8) {
        int r = row + t / 8, k = k0 + t % 8;
        sA[t % 8][t / 8] = r < M && k < K ? A[r * K + k] : 0.0f;
        int c = col + t % 32, j = k0 + t / 32;
        sB[t / 32][t % 32] = j < K && c < N ? B[j * N + c] : 0.0f;
        __syncthreads();
        for (int i = 0; i < 8; ++i)
            for (int y = 0; y < 2; ++y)
                for (int x = 0; x < 2; ++x)
                    acc[y][x] += sA[i][ty * 2 + y] * sB[i][tx * 2 + x];
        __syncthreads();
    }
    for (int y = 0; y < 2; ++y)
        for (int x = 0; x < 2; ++x)
            if (row + ty * 2 + y < M && col + tx * 2 + x < N)
                C[(row + ty * 2 + y) * N + col + tx * 2 + x] = acc[y][x];
}
