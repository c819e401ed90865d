// Two tiles of each matrix in turn, and no barrier in the loop.
// compile: compute_80
// launch: <<<,16x16>>> --size 40x36x44

extern "C" __global__ void double_buffer_without(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float sA[2][16][16];
    __shared__ float sB[2][16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
    float acc = 0.0f;
    int now = 0;
    sA[0][ty][tx] = row < M && tx < K ? A[row * K + tx] : 0.0f;
    sB[0][ty][tx] = ty < K && col < N ? B[ty * N + col] : 0.0f;
    __syncthreads();
    for (int t = 16; t < K + 16; t += 16) {
        if (t < K) {
            sA[1 - now][ty][tx] = row < M && t + tx < K ? A[row * K + t + tx] : 0.0f;
            sB[1 - now][ty][tx] = t + ty < K && col < N ? B[(t + ty) * N + col] : 0.0f;
        }
        for (int k = 0; k < 16; ++k)
            acc += sA[now][ty][k] * sB[now][k][tx];
        now = 1 - now;
    }
    if (row < M && col < N)
        C[row * N + col] = acc;
}
// finds: race 18 22
// finds: race 19 22
