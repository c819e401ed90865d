// A block reads words of an array that lie far apart.
// launch: <<<1,64>>>(in:f32[65536],out:f32[64])
__global__ void far_apart(const float* in, float* out) {
    int t = threadIdx.x;
    out[t] = in[t * 1023];
}
