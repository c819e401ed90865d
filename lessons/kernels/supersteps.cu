// The tiled kernel with a barrier wherever a superstep could end. Sizes are multiples of 16.
//
// dial FIRST (barrier before the loads): yes | no
// dial SECOND (barrier before the sum): yes | no
// dial THIRD (barrier after the sum): yes | no
//
// start: FIRST=yes
// launch: <<<,16x16>>> --size 64

#define TILE 16

extern "C" __global__ void supersteps(const float* A, const float* B, float* C,
                                      int M, int N, int K)
{
    __shared__ float sA[TILE][TILE];
    __shared__ float sB[TILE][TILE];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int col = blockIdx.x * TILE + tx;
    int row = blockIdx.y * TILE + ty;

    float acc = 0.0f;
    for (int t = 0; t < K; t += TILE) {
#if FIRST == 0
        __syncthreads();
#endif
        sA[ty][tx] = A[row * K + t + tx];
        sB[ty][tx] = B[(t + ty) * N + col];
#if SECOND == 0
        __syncthreads();
#endif
        for (int k = 0; k < TILE; ++k)
            acc += sA[ty][k] * sB[k][tx];
#if THIRD == 0
        __syncthreads();
#endif
    }
    C[row * N + col] = acc;
}
