// Any layout: each matrix comes with the strides of its rows and columns, here for B transposed
// twice; the grid is smaller than C, and each thread goes on until nothing is left.
// compile: compute_52
// launch: <<<2x3,16x4>>>(A,21,1,B,50,1,C,50,1,M,N,K) --size 40x50x21
// launch: <<<1x1x1,8x8>>>(A,9,1,B,9,1,C,9,1,M,N,K) --size 9x9x9
// result: chain

extern "C" __global__ void strided(const float* A, long long rsA, long long csA, const float* B,
                                   long long rsB, long long csB, float* C, long long rsC,
                                   long long csC, unsigned M, unsigned N, unsigned K)
{
    for (unsigned i = blockIdx.y * blockDim.y + threadIdx.y; i < M; i += gridDim.y * blockDim.y)
        for (unsigned j = blockIdx.x * blockDim.x + threadIdx.x; j < N; j += gridDim.x * blockDim.x) {
            float sum = 0.0f;
            for (unsigned k = 0; k < K; ++k)
                sum += A[i * rsA + k * csA] * B[k * rsB + j * csB];
            C[i * rsC + j * csC] = sum;
        }
}
