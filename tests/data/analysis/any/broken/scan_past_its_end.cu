// No guard: the last block stores past the end.
// launch: <<<4,128>>>(in:i32[512]=1,out:i32[500],n=512)
// expect: memory
__global__ void scan_past_its_end(const int* in, int* out, int n) {
    __shared__ int sums[2][128];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, now = 0;
    sums[0][t] = in[i];
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        int sum = sums[now][t];
        if (t >= d) sum += sums[now][t - d];
        sums[1 - now][t] = sum;
        now = 1 - now;
        __syncthreads();
    }
    out[i] = sums[now][t];
}
