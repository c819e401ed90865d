// The threads count without atomics: two that meet count as one.
// launch: <<<8,128>>>(in:i32[1024]=0..64,bins:u32[64]=0,n=1024)
// expect: race
// race: changes
__global__ void histogram_without_atomics(const int* in, unsigned* bins, int n) {
    __shared__ unsigned own[64];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t < 64) own[t] = 0;
    __syncthreads();
    if (i < n) own[in[i]] += 1;
    __syncthreads();
    if (t < 64) atomicAdd(&bins[t], own[t]);
}
