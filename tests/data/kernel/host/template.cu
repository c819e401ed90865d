// A kernel that is a template, beside another one, both launched by the host.
#include <iostream>

template <int SIDE, typename T>
__global__ void mm(T* A, T* B, T* C, int width) {
    int row = blockIdx.y * SIDE + threadIdx.y, column = blockIdx.x * SIDE + threadIdx.x;
    T sum = 0;
    for (int k = 0; k < width; ++k) sum += A[row * width + k] * B[k * width + column];
    C[row * width + column] = sum;
}

void run(float* a, float* b, float* c) {
    constexpr int side = 16;
    int width = 4096;
    mm<side / 2, float><<<dim3(width / 8, width / 8), dim3(side / 2, side / 2)>>>(a, b, c, width);
    mm<side, float><<<dim3(width / side, width / side), dim3(side, side)>>>(a, b, c, width);
    std::cout << "done" << std::endl;
}
