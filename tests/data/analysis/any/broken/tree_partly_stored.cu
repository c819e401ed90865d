// Threads past the end store nothing, and the tree adds what was never stored.
// launch: <<<16,256>>>(in:f32[4000],out:f32[16],n=4000)
// expect: memory
__global__ void tree_partly_stored(const float* in, float* out, int n) {
    __shared__ float sums[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (i < n) sums[t] = in[i];
    __syncthreads();
    for (int side = 128; side > 0; side /= 2) {
        if (t < side) sums[t] += sums[t + side];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = sums[0];
}
