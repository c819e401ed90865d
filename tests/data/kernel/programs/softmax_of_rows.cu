#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); exit(1); } } while (0)

// each warp takes its own maximum: wrong for rows wider than 32
__global__ void softmax_fast(const float *in, float *out, int cols) {
    __shared__ float sum;
    int row = blockIdx.x, t = threadIdx.x;
    if (t == 0) sum = 0.0f;
    __syncthreads();
    float v = t < cols ? in[row * cols + t] : -1e30f;
    float m = v;
    for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, o));
    float e = t < cols ? expf(v - m) : 0.0f;
    atomicAdd(&sum, e);
    __syncthreads();
    if (t < cols) out[row * cols + t] = e / sum;
}

__global__ void softmax_naive(const float *in, float *out, int cols) {
    int row = blockIdx.x;
    if (threadIdx.x == 0) {
        float m = -1e30f, s = 0;
        for (int i = 0; i < cols; i++) m = fmaxf(m, in[row * cols + i]);
        for (int i = 0; i < cols; i++) s += expf(in[row * cols + i] - m);
        for (int i = 0; i < cols; i++) out[row * cols + i] = expf(in[row * cols + i] - m) / s;
    }
}

void softmax_cpu(const float *in, float *out, int rows, int cols) {
    for (int r = 0; r < rows; r++) {
        float m = -1e30f, s = 0;
        for (int i = 0; i < cols; i++) m = fmaxf(m, in[r * cols + i]);
        for (int i = 0; i < cols; i++) s += expf(in[r * cols + i] - m);
        for (int i = 0; i < cols; i++) out[r * cols + i] = expf(in[r * cols + i] - m) / s;
    }
}

int main() {
    const int rows = 8, cols = 64;
    size_t bytes = rows * cols * sizeof(float);
    float *h_in = (float *)malloc(bytes), *h_out = (float *)malloc(bytes), *h_ref = (float *)malloc(bytes);
    for (int i = 0; i < rows * cols; i++) h_in[i] = (float)rand() / RAND_MAX * 8.0f;
    float *d_in, *d_out;
    CHECK(cudaMalloc(&d_in, bytes));
    CHECK(cudaMalloc(&d_out, bytes));
    CHECK(cudaMemcpy(d_in, h_in, bytes, cudaMemcpyHostToDevice));
    softmax_fast<<<rows, 64>>>(d_in, d_out, cols);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(h_out, d_out, bytes, cudaMemcpyDeviceToHost));
    softmax_cpu(h_in, h_ref, rows, cols);
    float worst = 0;
    for (int i = 0; i < rows * cols; i++) {
        float d = fabsf(h_out[i] - h_ref[i]);
        if (d > worst) worst = d;
    }
    printf("max error %g\n", worst);
    cudaFree(d_in); cudaFree(d_out);
    return worst > 1e-5f;
}
