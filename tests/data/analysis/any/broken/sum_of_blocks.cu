// The blocks add to one number without an atomic.
// launch: <<<8,128>>>(in:f32[1024],out:f32[1]=0,n=1024)
// expect: race
__global__ void sum_of_blocks(const float* in, float* out, int n) {
    __shared__ float sum;
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t == 0) sum = 0.0f;
    __syncthreads();
    if (i < n) atomicAdd(&sum, in[i]);
    __syncthreads();
    if (t == 0) out[0] += sum;
}
