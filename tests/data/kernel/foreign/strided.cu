// Any layout: each matrix comes with the strides of its rows and columns, here for B transposed
// twice; the grid is smaller than C, and each thread goes on until nothing is left.
// compile: compute_52
// launch: --grid 2,3 --block 16,4 --size 40,50,21 --args A,21,1,B,50,1,C,50,1,M,N,K
// launch: --grid 1,1,1 --block 8,8 --size 9,9,9 --args A,9,1,B,9,1,C,9,1,M,N,K
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
