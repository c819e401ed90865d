// The scan in one array: a thread overwrites what another has still to read.
// launch: <<<4,128>>>(in:i32[512],out:i32[512],n=512)
// expect: race
// race: changes
__global__ void scan_in_place(const int* in, int* out, int n) {
    __shared__ int sums[128];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    sums[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        if (t >= d) sums[t] += sums[t - d];
        __syncthreads();
    }
    if (i < n) out[i] = sums[t];
}
