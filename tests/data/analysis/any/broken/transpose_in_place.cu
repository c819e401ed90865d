// In place: a block overwrites what another has still to read.
// launch: <<<4x16,32x8>>>(x:f32[128*128],x,n=128)
// expect: race
__global__ void transpose_in_place(const float* in, float* out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) out[x * n + y] = in[y * n + x];
}
