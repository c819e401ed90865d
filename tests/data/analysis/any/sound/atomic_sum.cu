// Each block adds its sum to one number, which the host has zeroed.
// launch: <<<8,128>>>(in:f32[1024],out:f32[1]=0,n=1024)
// race: rounds
__global__ void atomic_sum(const float* in, float* out, int n) {
    __shared__ float sum;
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t == 0) sum = 0.0f;
    __syncthreads();
    if (i < n) atomicAdd(&sum, in[i]);
    __syncthreads();
    if (t == 0) atomicAdd(out, sum);
}
