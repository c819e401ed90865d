// A transpose through a tile in shared memory, whose columns lie in one bank.
// launch: <<<4x4,32x32>>>(in:f32[128*128],out:f32[128*128],n=128)
// costs: conflicts
__global__ void transpose_tiled(const float* in, float* out, int n) {
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}
