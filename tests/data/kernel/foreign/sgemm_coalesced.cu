// The same with blocks of one dimension, cut into rows of 32 so that a warp reads along a row.
// compile: compute_70
// launch: <<<4x3,1024>>> --size 100x70x33
// result: chain alpha

template <int SIDE>
__global__ void sgemm_coalesced(int M, int N, int K, float alpha, const float* A, const float* B,
                                float beta, float* C)
{
    const int i = blockIdx.x * SIDE + threadIdx.x / SIDE;
    const int j = blockIdx.y * SIDE + threadIdx.x % SIDE;
    if (i < M && j < N) {
        float sum = 0.0f;
        for (int k = 0; k < K; ++k)
            sum = fmaf(A[i * K + k], B[k * N + j], sum);
        C[i * N + j] = alpha * sum + beta * C[i * N + j];
    }
}

template __global__ void sgemm_coalesced<32>(int, int, int, float, const float*, const float*,
                                             float, float*);
