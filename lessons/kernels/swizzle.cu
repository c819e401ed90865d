// The tile of A is stored transposed, and swizzled: in row r of sA the word for place p lies at
// p ^ (r & MASK). Sizes are multiples of 16.
//
// dial MASK (MASK): 0 | 1 | 3 | 7 | 15
//
// start: MASK=0
// launch: <<<,16x16>>> --size 64

#define TILE 16

// The number of the choice: 2 to the power of it, less one.
#define PLACE(r, p) ((p) ^ ((r) & ((1 << MASK) - 1)))

extern "C" __global__ void swizzle(const float* A, const float* B, float* C,
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
        sA[tx][PLACE(tx, ty)] = A[row * K + t + tx];
        sB[ty][tx] = B[(t + ty) * N + col];
        __syncthreads();

        for (int k = 0; k < TILE; ++k)
            acc += sA[k][PLACE(k, ty)] * sB[k][tx];
        __syncthreads();
    }
    C[row * N + col] = acc;
}
