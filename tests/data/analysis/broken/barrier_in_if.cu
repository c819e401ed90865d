// Barriers inside `if (row < M && col < N)`: at the edges threads go round them.
// compile: compute_80
// launch: <<<,16x16>>> --size 40x36x48

extern "C" __global__ void barrier_in_if(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float sA[16][16];
    __shared__ float sB[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
    if (row < M && col < N) {
        float acc = 0.0f;
        for (int t = 0; t < K; t += 16) {
            sA[ty][tx] = A[row * K + t + tx];
            sB[ty][tx] = B[(t + ty) * N + col];
            __syncthreads();
            for (int k = 0; k < 16; ++k)
                acc += sA[ty][k] * sB[k][tx];
            __syncthreads();
        }
        C[row * N + col] = acc;
    }
}
// finds: barrier 11 16
// finds: barrier 11 19
// finds: memory 18
