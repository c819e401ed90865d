// The last row is read past the end of the array.
// compile: compute_80
// launch: <<<8,64>>>(in:f32[8*100],out:f32[8*128],n=128)
// expect: memory
__global__ void softmax_past_the_row(const float* in, float* out, int n) {
    __shared__ float parts[64];
    int t = threadIdx.x;
    const float* row = in + blockIdx.x * n;
    float sum = 0.0f;
    for (int i = t; i < n; i += 64) sum += expf(row[i]);
    parts[t] = sum;
    __syncthreads();
    for (int side = 32; side > 0; side /= 2) {
        if (t < side) parts[t] += parts[t + side];
        __syncthreads();
    }
    for (int i = t; i < n; i += 64) out[blockIdx.x * n + i] = expf(row[i]) / parts[0];
}
