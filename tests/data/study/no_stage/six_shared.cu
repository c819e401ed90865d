// Uses six shared arrays at a time.
// launch: <<<1,64>>>(in:f32[64],out:f32[64])
__global__ void six_shared(const float* in, float* out) {
    __shared__ float a[64], b[64], c[64], d[64], e[64], f[64];
    int t = threadIdx.x;
    float x = in[t];
    a[t] = x;
    b[t] = x + 1.0f;
    c[t] = x + 2.0f;
    d[t] = x + 3.0f;
    e[t] = x + 4.0f;
    f[t] = x + 5.0f;
    __syncthreads();
    int n = 63 - t;
    out[t] = a[n] + b[n] + c[n] + d[n] + e[n] + f[n];
}
