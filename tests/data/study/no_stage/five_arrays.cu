// Reads five arrays at a time.
// launch: <<<1,64>>>(a:f32[64],b:f32[64],c:f32[64],d:f32[64],e:f32[64],out:f32[64])
__global__ void five_arrays(const float* a, const float* b, const float* c, const float* d,
                            const float* e, float* out) {
    int t = threadIdx.x;
    out[t] = a[t] + b[t] + c[t] + d[t] + e[t];
}
