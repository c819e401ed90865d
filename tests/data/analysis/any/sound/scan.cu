// An inclusive scan of each block (Hillis and Steele), from one array in shared memory to another.
// launch: <<<4,128>>>(in:i32[512],out:i32[512],n=512)
__global__ void scan(const int* in, int* out, int n) {
    __shared__ int sums[2][128];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, now = 0;
    sums[0][t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        int sum = sums[now][t];
        if (t >= d) sum += sums[now][t - d];
        sums[1 - now][t] = sum;
        now = 1 - now;
        __syncthreads();
    }
    if (i < n) out[i] = sums[now][t];
}
