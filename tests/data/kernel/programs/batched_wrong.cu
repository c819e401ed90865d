// Four products, of which each sum leaves terms out.
#define TILE 8

__global__ void products(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    A += (size_t)blockIdx.z * M * K;
    B += (size_t)blockIdx.z * K * N;
    C += (size_t)blockIdx.z * M * N;
    int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < K; k += TILE) {
        a[threadIdx.y][threadIdx.x] = row < M && k + threadIdx.x < K ? A[row * K + k + threadIdx.x] : 0.0f;
        b[threadIdx.y][threadIdx.x] = col < N && k + threadIdx.y < K ? B[(k + threadIdx.y) * N + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE - 1; i++)
            sum += a[threadIdx.y][i] * b[i][threadIdx.x];
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}

int main()
{
    const int batch = 4, M = 40, N = 24, K = 20;
    float *A, *B, *C;
    cudaMalloc(&A, batch * M * K * sizeof(float));
    cudaMalloc(&B, batch * K * N * sizeof(float));
    cudaMalloc(&C, batch * M * N * sizeof(float));
    products<<<dim3((N + TILE - 1) / TILE, (M + TILE - 1) / TILE, batch), dim3(TILE, TILE)>>>(A, B, C, M, N, K);
}
