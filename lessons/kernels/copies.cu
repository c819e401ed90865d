// The tiled kernel with cp.async: copies from global to shared memory that no thread waits for, until
// it says so. Sizes are multiples of 16.
//
// launch: <<<,16x16>>> --size 64

#define TILE 16

#ifndef WAIT
#define WAIT 1
#endif

// Start a copy of one float.
__device__ void copy(float* to, const float* from)
{
    unsigned shared = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
                 :: "r"(shared), "l"(from) : "memory");
}

extern "C" __global__ void copies(const float* A, const float* B, float* C,
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
        copy(&sA[ty][tx], &A[row * K + t + tx]);
        copy(&sB[ty][tx], &B[(t + ty) * N + col]);
#if WAIT
        asm volatile("cp.async.wait_all;" ::: "memory");
#endif
        __syncthreads();

        for (int k = 0; k < TILE; ++k)
            acc += sA[ty][k] * sB[k][tx];
        __syncthreads();
    }
    C[row * N + col] = acc;
}
