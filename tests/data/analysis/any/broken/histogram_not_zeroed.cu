// The bins in shared memory are never zeroed.
// launch: <<<8,128>>>(in:i32[1024]=0..64,bins:u32[64]=0,n=1024)
// expect: memory
__global__ void histogram_not_zeroed(const int* in, unsigned* bins, int n) {
    __shared__ unsigned own[64];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (i < n) atomicAdd(&own[in[i]], 1u);
    __syncthreads();
    if (t < 64) atomicAdd(&bins[t], own[t]);
}
