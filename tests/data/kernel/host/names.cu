// C = A x B by a kernel that gives its types other names, passes tiles by reference and lets the
// arguments of its templates follow from its calls.
#include <cstdio>

#define TILE 8

typedef float Real;

template <typename T>
__device__ T clamped(const T* from, int row, int column, int rows, int columns)
{
    return row < rows && column < columns ? from[row * columns + column] : T(0);
}

template <typename T, int ROWS, int COLUMNS>
__device__ void add(T& sum, const T (&left)[ROWS][COLUMNS], const T (&right)[ROWS][COLUMNS], int y, int x)
{
    for (int k = 0; k < COLUMNS; ++k) {
        const auto& a = left[y][k];
        auto b = right[k][x];
        sum += a * b;
    }
}

__device__ void corner(int& row, int& column, int tile)
{
    row = blockIdx.y * tile;
    column = blockIdx.x * tile;
}

__global__ void product(const Real* A, const Real* B, Real* C, int M, int N, int K)
{
    __shared__ Real left[TILE][TILE];
    __shared__ Real right[TILE][TILE];
    int row = 0, column = 0;
    corner(row, column, TILE);
    auto y = threadIdx.y, x = threadIdx.x;
    Real sum = 0;
    for (auto t = 0; t < K; t += TILE) {
        Real& mine = left[y][x];
        mine = clamped(A, row + y, t + x, M, K);
        right[y][x] = clamped(B, t + y, column + x, K, N);
        __syncthreads();
        add(sum, left, right, y, x);
        __syncthreads();
    }
    if (row + y < M && column + x < N)
        C[(row + y) * N + column + x] = sum;
}

int main()
{
    const int M = 4096, N = 4096, K = 4096;
    float *a, *b, *c;
    cudaMalloc(&a, M * K * sizeof(float));
    cudaMalloc(&b, K * N * sizeof(float));
    cudaMalloc(&c, M * N * sizeof(float));
    dim3 block(TILE, TILE), grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    product<<<grid, block>>>(a, b, c, M, N, K);
    printf("done\n");
}
