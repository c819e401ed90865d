// There are numbers for which there is no bin.
// launch: <<<8,128>>>(in:i32[1024]=0..80,bins:u32[64]=0,n=1024)
// expect: memory
__global__ void histogram_of_other_numbers(const int* in, unsigned* bins, int n) {
    __shared__ unsigned own[64];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t < 64) own[t] = 0;
    __syncthreads();
    if (i < n) atomicAdd(&own[in[i]], 1u);
    __syncthreads();
    if (t < 64) atomicAdd(&bins[t], own[t]);
}
