// C = A x B in float32, the plain way: one thread computes one element of C.
//
// A is M x K, B is K x N, C is M x N, all row-major: element (row, col) of A
// is A[row * K + col]. The grid covers C with blocks of TILE x TILE threads.
//
// Neighbouring threads (threadIdx.x) take neighbouring columns of C. So in one
// step of the loop the lanes of a warp load neighbouring elements of B, which
// lie side by side in memory and arrive together, and the very same element of
// A, which is fetched once and handed to all. That is called coalesced.
//
// What it wastes: every thread walks a whole row of A and a whole column of B
// through global memory, though its neighbours walk the same ones.

extern "C" __global__ void naive(const float* A, const float* B, float* C,
                                 int M, int N, int K)
{
    int col = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;

    // The grid is rounded up to whole blocks: threads beyond C have no work.
    // They may leave early only because no __syncthreads() follows.
    if (row >= M || col >= N) return;

    float acc = 0.0f;
    for (int k = 0; k < K; ++k)
        acc += A[row * K + k] * B[k * N + col];

    C[row * N + col] = acc;
}
