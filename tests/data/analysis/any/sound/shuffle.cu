// A sum by shuffles: first of each warp, then of the warps' sums by the first warp.
// launch: <<<8,128>>>(in:f32[1000],out:f32[8],n=1000)
__global__ void shuffle(const float* in, float* out, int n) {
    __shared__ float sums[4];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    float sum = i < n ? in[i] : 0.0f;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (t % 32 == 0) sums[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        sum = t < 4 ? sums[t] : 0.0f;
        for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
        if (t == 0) out[blockIdx.x] = sum;
    }
}
