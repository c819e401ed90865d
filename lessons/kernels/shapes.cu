// The naive kernel with a dial: the shape of the block's 256 threads.
//
// The threads are numbered as the GPU numbers them, and then laid out anew: so many in a row. The
// blocks are laid over C in the same way, row by row. That needs sizes that are multiples of 32.
//
// dial WIDE (threads in a row of the block): 8 | 16 | 32
//
// start: WIDE=8
// launch: <<<,16x16>>> --size 64

// WIDE is 0, 1 or 2: the number of the choice.
#define ACROSS (8 << WIDE)
#define DOWN (256 / ACROSS)

extern "C" __global__ void shapes(const float* A, const float* B, float* C,
                                  int M, int N, int K)
{
    int number = threadIdx.y * blockDim.x + threadIdx.x;
    int block = blockIdx.y * gridDim.x + blockIdx.x;

    int col = block % (N / ACROSS) * ACROSS + number % ACROSS;
    int row = block / (N / ACROSS) * DOWN + number / ACROSS;

    if (row >= M || col >= N) return;

    float acc = 0.0f;
    for (int k = 0; k < K; ++k)
        acc += A[row * K + k] * B[k * N + col];

    C[row * N + col] = acc;
}
