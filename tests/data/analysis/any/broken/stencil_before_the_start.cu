// The first block loads what lies before the array.
// launch: <<<8,128>>>(in:f32[1024],out:f32[1024],n=1024)
// expect: memory
__global__ void stencil_before_the_start(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int d = -3; d <= 3; d++) sum += in[i + d];
    out[i] = sum;
}
