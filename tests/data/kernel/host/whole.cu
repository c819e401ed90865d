// A tiled kernel as it lies on a disk: with the host's code, its headers and its checks.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define TILE_WIDTH 8
#define CHECK(call)                                                   \
    do {                                                              \
        cudaError_t status = (call);                                  \
        if (status != cudaSuccess) {                                  \
            std::fprintf(stderr, "%s\n", cudaGetErrorString(status)); \
            std::exit(1);                                             \
        }                                                             \
    } while (0)

struct Options {
    std::vector<int> sizes;
    bool verbose = false;
};

__global__ void matmul(const float* a, const float* b, float* c, int numARows, int numBColumns,
                       int numAColumns) {
    __shared__ float tile_a[TILE_WIDTH][TILE_WIDTH];
    __shared__ float tile_b[TILE_WIDTH][TILE_WIDTH];
    uint row = blockIdx.y * TILE_WIDTH + threadIdx.y;
    uint column = blockIdx.x * TILE_WIDTH + threadIdx.x;
    float sum = 0.0f;
    for (int t = 0; t < (numAColumns + TILE_WIDTH - 1) / TILE_WIDTH; ++t) {
        int k = t * TILE_WIDTH + threadIdx.x;
        int l = t * TILE_WIDTH + threadIdx.y;
        tile_a[threadIdx.y][threadIdx.x] =
            row < numARows && k < numAColumns ? a[row * numAColumns + k] : 0.0f;
        tile_b[threadIdx.y][threadIdx.x] =
            l < numAColumns && column < numBColumns ? b[l * numBColumns + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE_WIDTH; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
        __syncthreads();
    }
    if (row < numARows && column < numBColumns) c[row * numBColumns + column] = sum;
}

static int ceil_div(int a, int b) { return (a + b - 1) / b; }

int main(int argc, char** argv) {
    const int M = argc > 1 ? std::atoi(argv[1]) : 1000, N = M, K = M;
    float *d_a, *d_b, *d_c;
    CHECK(cudaMalloc(&d_a, sizeof(float) * M * K));
    CHECK(cudaMalloc(&d_b, sizeof(float) * K * N));
    CHECK(cudaMalloc(&d_c, sizeof(float) * M * N));
    dim3 threads(TILE_WIDTH, TILE_WIDTH);
    dim3 blocks(ceil_div(N, threads.x), ceil_div(M, threads.y));
    matmul<<<blocks, threads>>>(d_a, d_b, d_c, M, N, K);
    CHECK(cudaDeviceSynchronize());
    std::printf("done\n");
    return 0;
}
