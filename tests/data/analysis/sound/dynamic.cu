// The tiles lie in dynamic shared memory.
// compile: compute_80
// launch: <<<,16x16,2048>>> --size 40x36x44

extern "C" __global__ void dynamic(const float* A, const float* B, float* C, int M, int N, int K)
{
    extern __shared__ float room[];
    float (*sA)[16] = (float (*)[16])room;
    float (*sB)[16] = (float (*)[16])(room + 256);
    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
    float acc = 0.0f;
    for (int t = 0; t < K; t += 16) {
        sA[ty][tx] = row < M && t + tx < K ? A[row * K + t + tx] : 0.0f;
        sB[ty][tx] = t + ty < K && col < N ? B[(t + ty) * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 16; ++k)
            acc += sA[ty][k] * sB[k][tx];
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = acc;
}
