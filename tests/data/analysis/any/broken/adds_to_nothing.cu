// Each block adds to its number, which nobody has written.
// launch: <<<8,128>>>(in:f32[1024],out:f32[8]=unfilled,n=1024)
// expect: memory
__global__ void adds_to_nothing(const float* in, float* out, int n) {
    __shared__ float sum;
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t == 0) sum = 0.0f;
    __syncthreads();
    if (i < n) atomicAdd(&sum, in[i]);
    __syncthreads();
    if (t == 0) out[blockIdx.x] += sum;
}
