// Every block stores to the same elements: the last one wins.
// launch: <<<8,128>>>(in:i32[1024]=0..100000,out:i32[32],n=1024)
// expect: race
__global__ void last_block_wins(const int* in, int* out, int n) {
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (i < n && t < 32) out[t] = in[i];
}
