// The tree without the barrier between its levels.
// launch: <<<16,256>>>(in:f32[4096],out:f32[16],n=4096)
// expect: race
// race: changes
__global__ void tree_without_barrier(const float* in, float* out, int n) {
    __shared__ float sums[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    sums[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int side = 128; side > 0; side /= 2) {
        if (t < side) sums[t] += sums[t + side];
    }
    if (t == 0) out[blockIdx.x] = sums[0];
}
