// The naive kernel with one line changed: neighbouring threads take
// neighbouring rows of C instead of neighbouring columns. C is the same, and
// it takes several times as long: the best-known mistake in CUDA.
//
// The 32 threads of a warp differ in threadIdx.x first. Here that makes them
// differ in row: in one step of the loop they load elements of A that lie a
// whole row apart (K * 4 bytes), each in a sector of its own. The GPU fetches
// 32 bytes for every 4 that are wanted. The stores to C are scattered the same.
//
// Compare naive.cu: there the lanes of a warp load neighbours, and the accesses
// of the warp are joined into a few sectors: they are coalesced.

extern "C" __global__ void naive_rows(const float* A, const float* B, float* C,
                                      int M, int N, int K)
{
    int row = blockIdx.y * TILE + threadIdx.x;
    int col = blockIdx.x * TILE + threadIdx.y;

    if (row >= M || col >= N) return;

    float acc = 0.0f;
    for (int k = 0; k < K; ++k)
        acc += A[row * K + k] * B[k * N + col];

    C[row * N + col] = acc;
}
