// Exercise E8: four defects of a published kernel.
// launch: fast_matmul<<<dim3((N+15)/16,(M+15)/16),dim3(16,16)>>>(A,B,C,M,N,K) --size 64

__global__ void fast_matmul(const float* A, const float* B, float* C, int M, int N, int K)
{
    // sA = cuda.shared.array(shape=(TPB, TPB), dtype=float32), and sB
    __shared__ float sA[16][16];
    __shared__ float sB[16][16];

    // x, y = cuda.grid(2)
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int x = blockIdx.y * 16 + ty;
    int y = blockIdx.x * 16 + tx;

    int tiles = (K + 15) / 16;

    float tmp = 0.0f;
    for (int i = 0; i < tiles; ++i) {
        // sA[tx, ty] = A[x, ty + i * TPB]
        // sB[tx, ty] = B[tx + i * TPB, y]
        sA[ty][tx] = x < M && tx + i * 16 < K ? A[x * K + tx + i * 16] : 0.0f;
        sB[ty][tx] = ty + i * 16 < K && y < N ? B[(ty + i * 16) * N + y] : 0.0f;
        __syncthreads();

        // for j in range(TPB): tmp += sA[tx, j] * sB[j, ty]
        for (int j = 0; j < 16; ++j)
            tmp += sA[ty][j] * sB[j][tx];
        __syncthreads();
    }

    // C[x, y] = tmp
    if (x < M && y < N)
        C[x * N + y] = tmp;
}
