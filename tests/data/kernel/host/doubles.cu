// Tiled, on doubles, right where the size is a multiple of the tile: no access is guarded.
#include <cuda_runtime.h>

#define TILE 16

__global__ void mm(const double* A, const double* B, double* C, int M, int N, int K) {
  __shared__ double sA[TILE][TILE];
  __shared__ double sB[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y;
  int col = blockIdx.x * TILE + threadIdx.x;
  double sum = 0.0;
  for (int t = 0; t < (K + TILE - 1) / TILE; ++t) {
    sA[threadIdx.y][threadIdx.x] = A[row * K + t * TILE + threadIdx.x];
    sB[threadIdx.y][threadIdx.x] = B[(t * TILE + threadIdx.y) * N + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += sA[threadIdx.y][k] * sB[k][threadIdx.x];
    __syncthreads();
  }
  C[row * N + col] = sum;
}

int main() {
  const int N = 1024;
  double *a, *b, *c;
  cudaMalloc(&a, N * N * sizeof(double));
  cudaMalloc(&b, N * N * sizeof(double));
  cudaMalloc(&c, N * N * sizeof(double));
  dim3 block(TILE, TILE), grid((N + TILE - 1) / TILE, (N + TILE - 1) / TILE);
  mm<<<grid, block>>>(a, b, c, N, N, N);
  cudaDeviceSynchronize();
}
