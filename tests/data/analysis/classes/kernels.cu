// Kernels whose blocks differ in one way each. tests/classes.rs holds the counts by classes of
// blocks against those of every block. kernels.ptx: NVRTC 12.9, compute_52.
#define KERNEL extern "C" __global__ void
#define ARGS const float* A, const float* B, float* C, int M, int N, int K

// One-dimensional blocks in a one-dimensional grid: rows and columns by division.
KERNEL flat(ARGS) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < M * N) C[i] = A[i / N * K] * B[i % N];
}

// Groups of four rows of blocks, as Triton walks over C.
KERNEL swizzled(ARGS) {
    int tiles = (N + 7) / 8, group = blockIdx.x / (4 * tiles), in = blockIdx.x % (4 * tiles);
    int row = (group * 4 + in % 4) * 8 + threadIdx.y, col = in / 4 * 8 + threadIdx.x;
    if (row >= M || col >= N) return;
    C[row * N + col] = A[row * K] + B[col];
}

// A loop that is longer for later blocks.
KERNEL triangular(ARGS) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    if (row < M && col < N)
        for (int k = 0; k < K && k <= row; ++k) sum += A[row * K + k] * B[k * N + col];
    if (row < M && col < N) C[row * N + col] = sum;
}

// Blocks below the diagonal have nothing to do.
KERNEL diagonal(ARGS) {
    if (blockIdx.y > blockIdx.x) return;
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < N) C[row * N + col] = A[row * K] * B[col];
}

// As many steps as it takes to come to the end in strides of the grid.
KERNEL strides(ARGS) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < M * K; i += gridDim.x * blockDim.x)
        C[i % (M * N)] = 2 * A[i];
}

// Odd blocks walk the other way.
KERNEL parity(ARGS) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x & 1) col = (blockIdx.x + 1) * blockDim.x - 1 - threadIdx.x;
    if (col < N && blockIdx.y < M) C[blockIdx.y * N + col] = B[(blockIdx.y % K) * N + (col ^ 1) % N];
}

// The last block first; bounds by the least and the greatest of two.
KERNEL backwards(ARGS) {
    int row = (gridDim.y - 1 - blockIdx.y) * blockDim.y + threadIdx.y;
    int col = (gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x;
    row = min(row, M - 1);
    col = max(0, min(col, N - 1));
    C[row * N + col] = A[row * K] * B[col];
}

// Places in shared memory that depend on the block.
KERNEL shared(ARGS) {
    __shared__ float tile[32 * 8];
    int thread = threadIdx.y * blockDim.x + threadIdx.x;
    int place = thread * (1 + blockIdx.x % 3) + blockIdx.y % 16;
    tile[place % 256] = A[thread % (M * K)];
    __syncthreads();
    C[thread % (M * N)] = tile[(place + blockIdx.x) % 256];
}

// Three axes, and addresses of 64 bits.
KERNEL solid(ARGS) {
    unsigned long long row = blockIdx.z * 4ull + threadIdx.y, col = blockIdx.x * 8ull + threadIdx.x;
    for (long long k = blockIdx.y; k < K; k += gridDim.y)
        if (row < M && col < N) C[row * N + col] += A[row * K + k] * B[k * N + col];
}

// Indices put together from bits, and taken through float32.
KERNEL bits(ARGS) {
    int col = blockIdx.x << 4 | threadIdx.x & 15, row = (int)(blockIdx.y * 0.5f);
    if (((col >> 2) & 3) == 1) col &= ~3;
    if (row < M && col < N) C[row * N + col] = B[(col & ~7) % N];
}

// Small integers, and a choice between two that move.
KERNEL narrow(ARGS) {
    unsigned char x = blockIdx.x * 3;
    short y = blockIdx.y * blockDim.y + threadIdx.y;
    int at = x < 100 ? x + threadIdx.x : (int)blockIdx.x;
    if (y < M && at < N) C[y * N + at] = A[y * K] + at;
}

// Beyond the end of C from some block on.
KERNEL outside(ARGS) {
    C[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] = A[0];
}

// Loaded data decide on values alone.
KERNEL chosen(ARGS) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < M * N) C[i] = A[i % (M * K)] > 0.25f ? 1 : -1;
}

// Loaded data decide who takes part.
KERNEL branching(ARGS) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < M * K && A[i] > 0.25f) C[i % (M * N)] = 1;
}

// Loaded data decide where to read.
KERNEL gathering(ARGS) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < M * K) C[i % (M * N)] = B[(int)(fabsf(A[i]) * 3) % (K * N)];
}

// The same through shared memory.
KERNEL relayed(ARGS) {
    __shared__ int places[1024];
    int thread = threadIdx.y * blockDim.x + threadIdx.x;
    places[thread] = thread / 2;
    __syncthreads();
    C[places[thread] % (M * N)] = 1;
}

// Indices below zero count from the end, and half an index is rounded to zero.
KERNEL wrapped(ARGS) {
    long long row = (long long)(int)(blockIdx.y * blockDim.y + threadIdx.y) - 9;
    row += row >> 63 & M;
    int col = ((int)(blockIdx.x * blockDim.x + threadIdx.x) - 9) / 2;
    if (row >= 0 && row < M && col >= 0 && col < N) C[row * N + col] = A[row * K];
}
