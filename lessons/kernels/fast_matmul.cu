// The kernel fast_matmul that many pages about Numba show, as CUDA C; what it says in Python stands
// beside it.
//
// launch: fast_matmul<<<dim3((M+15)/16,(N+15)/16),dim3(16,16)>>>(A,B,C,M,N,K) --size 64

__global__ void fast_matmul(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float sA[16][16];  // cuda.shared.array(shape=(TPB, TPB), dtype=float32)
    __shared__ float sB[16][16];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int x = blockIdx.x * 16 + tx;  // x, y = cuda.grid(2)
    int y = blockIdx.y * 16 + ty;

    if (x >= M && y >= N) return;  // if x >= C.shape[0] and y >= C.shape[1]: return

    int tiles = gridDim.x;  // bpg = cuda.gridDim.x

    float tmp = 0.0f;
    for (int i = 0; i < tiles; ++i) {
        sA[tx][ty] = A[x * K + ty + i * 16];
        sB[tx][ty] = B[(tx + i * 16) * N + y];
        __syncthreads();

        for (int j = 0; j < 16; ++j)
            tmp += sA[tx][j] * sB[j][ty];
        __syncthreads();
    }

    C[x * N + y] = tmp;
}
