// The softmax of a row by a block: its largest element, the sum of the exponentials, the quotients.
// compile: compute_80
// launch: <<<8,64>>>(in:f32[8*100],out:f32[8*100],n=100)
__global__ void softmax(const float* in, float* out, int n) {
    __shared__ float parts[64];
    int t = threadIdx.x;
    const float* row = in + blockIdx.x * n;
    float most = row[0];
    for (int i = t; i < n; i += 64) most = fmaxf(most, row[i]);
    parts[t] = most;
    __syncthreads();
    for (int side = 32; side > 0; side /= 2) {
        if (t < side) parts[t] = fmaxf(parts[t], parts[t + side]);
        __syncthreads();
    }
    most = parts[0];
    __syncthreads();
    float sum = 0.0f;
    for (int i = t; i < n; i += 64) sum += expf(row[i] - most);
    parts[t] = sum;
    __syncthreads();
    for (int side = 32; side > 0; side /= 2) {
        if (t < side) parts[t] += parts[t + side];
        __syncthreads();
    }
    for (int i = t; i < n; i += 64) out[blockIdx.x * n + i] = expf(row[i] - most) / parts[0];
}
