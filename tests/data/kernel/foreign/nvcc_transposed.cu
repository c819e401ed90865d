// As nvcc writes PTX: a templated kernel that reads A's tile by columns, padded or not, and a
// device function that it inlines from a header of its own.
// compile: nvcc 13.5 -ptx -arch=compute_80 -lineinfo, then .version 9.5 lowered to 8.0
// launch: _Z10transposedILi1EEvPKfS1_Pfiii<<<,16x16>>> --size 50x40x33
// launch: _Z10transposedILi0EEvPKfS1_Pfiii<<<,16x16>>> --size 50x40x33
// result: chain

#include <cuda_runtime.h>

constexpr int side = 16;

struct View {
    const float* start;
    int rows, columns;

    __device__ float operator()(int row, int column) const
    {
        return row < rows && column < columns ? start[row * columns + column] : 0.0f;
    }
};

template <int pad>
__global__ void transposed(const float* __restrict__ A, const float* __restrict__ B, float* C,
                           int M, int N, int K)
{
    __shared__ float sA[side][side + pad], sB[side][side];
    const View a{A, M, K}, b{B, K, N};
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * side + ty, col = blockIdx.x * side + tx;
    float sum = 0.0f;
    for (int t = 0; t < K; t += side) {
        sA[tx][ty] = a(row, t + tx);
        sB[ty][tx] = b(t + ty, col);
        __syncthreads();
        for (int k = 0; k < side; ++k)
            sum += sA[k][ty] * sB[k][tx];
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}

template __global__ void transposed<0>(const float*, const float*, float*, int, int, int);
template __global__ void transposed<1>(const float*, const float*, float*, int, int, int);
