// The right half of the halo is never stored.
// launch: <<<8,128>>>(in:f32[1024],out:f32[1024],n=1024)
// expect: memory
__global__ void stencil_without_halo(const float* in, float* out, int n) {
    __shared__ float part[134];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    part[t + 3] = in[i];
    if (t < 3) part[t] = i >= 3 ? in[i - 3] : 0.0f;
    __syncthreads();
    float sum = 0.0f;
    for (int d = 0; d < 7; d++) sum += part[t + d];
    out[i] = sum;
}
