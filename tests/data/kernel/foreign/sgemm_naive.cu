// BLAS's signature; a thread for each element of C, its row on threadIdx.x.
// compile: compute_70
// launch: <<<4x3,32x32>>>(M,N,K,1.0f,A,B,0.0f,C) --size 100x70x33
// launch: <<<4x3,32x32>>>(M,N,K,-0.5f,A,B,0.0f,C) --size 100x70x33
// result: chain alpha

__global__ void sgemm_naive(int M, int N, int K, float alpha, const float* A, const float* B,
                            float beta, float* C)
{
    const unsigned i = blockDim.x * blockIdx.x + threadIdx.x;
    const unsigned j = blockDim.y * blockIdx.y + threadIdx.y;
    if (i >= M || j >= N)
        return;
    float sum = 0.0f;
    for (int k = 0; k < K; ++k)
        sum = fmaf(A[i * K + k], B[k * N + j], sum);
    C[i * N + j] = alpha * sum + beta * C[i * N + j];
}
