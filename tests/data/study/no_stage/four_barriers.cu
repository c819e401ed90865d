// Waits at four barriers.
// launch: <<<1,64>>>(in:f32[64],out:f32[64])
__global__ void four_barriers(const float* in, float* out) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    asm volatile("bar.sync 1, 64;" ::: "memory");
    float x = s[63 - t];
    asm volatile("bar.sync 2, 64;" ::: "memory");
    s[t] = x + 1.0f;
    asm volatile("bar.sync 3, 64;" ::: "memory");
    x = s[t ^ 1];
    asm volatile("bar.sync 4, 64;" ::: "memory");
    out[t] = x;
}
