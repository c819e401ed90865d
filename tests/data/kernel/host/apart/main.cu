#include <cstdio>
#include "kernel.cuh"

int main()
{
    const int M = 64, N = 64, K = 64;
    dim3 block(TILE, TILE), grid(N / TILE, M / TILE);
    float *a, *b, *c;
    cudaMalloc(&a, M * K * sizeof(float));
    cudaMalloc(&b, K * N * sizeof(float));
    cudaMalloc(&c, M * N * sizeof(float));
    mm<<<grid, block>>>(a, b, c, M, N, K);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
