// A transpose as it is written first: the stores are not coalesced.
// launch: <<<4x16,32x8>>>(in:f32[128*128],out:f32[128*128],n=128)
// costs: stores
__global__ void transpose(const float* in, float* out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) out[x * n + y] = in[y * n + x];
}
