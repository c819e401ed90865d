#include <cstdio>
__global__ void scale(float *x, float a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= a; }
__global__ void add(const float *x, const float *y, float *z, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) z[i] = x[i] + y[i]; }
int main() {
    const int n = 1024; float *x, *y, *z, *h;
    cudaMallocHost(&h, n * sizeof(float));
    for (int i = 0; i < n; i++) h[i] = i;
    cudaMalloc(&x, n * 4); cudaMalloc(&y, n * 4); cudaMalloc(&z, n * 4);
    cudaStream_t s[2]; for (int i = 0; i < 2; i++) cudaStreamCreate(&s[i]);
    cudaEvent_t e; cudaEventCreate(&e);
    cudaMemcpyAsync(x, h, n * 4, cudaMemcpyHostToDevice, s[0]);
    cudaMemcpyAsync(y, h, n * 4, cudaMemcpyHostToDevice, s[1]);
    scale<<<4, 256, 0, s[0]>>>(x, 2.0f, n);
    scale<<<4, 256, 0, s[1]>>>(y, 3.0f, n);
#ifdef SOUND
    cudaEventRecord(e, s[1]); cudaStreamWaitEvent(s[0], e, 0);
#else
    cudaStreamSynchronize(s[0]);
#endif
    add<<<4, 256, 0, s[0]>>>(x, y, z, n);
    cudaStreamSynchronize(s[0]);
    cudaMemcpy(h, z, n * 4, cudaMemcpyDeviceToHost);
    return 0;
}
