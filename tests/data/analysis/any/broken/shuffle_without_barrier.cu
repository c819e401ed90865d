// The first warp does not wait for the sums of the others.
// launch: <<<8,128>>>(in:f32[1000],out:f32[8],n=1000)
// expect: race
// race: changes
__global__ void shuffle_without_barrier(const float* in, float* out, int n) {
    __shared__ float sums[4];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    float sum = i < n ? in[i] : 0.0f;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (t % 32 == 0) sums[t / 32] = sum;
    if (t < 32) {
        sum = t < 4 ? sums[t] : 0.0f;
        for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
        if (t == 0) out[blockIdx.x] = sum;
    }
}
