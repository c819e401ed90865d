// In place: the neighbours may be the new values or the old.
// launch: <<<1,128>>>(x:f32[128],n=128)
// expect: race
// race: changes
__global__ void stencil_in_place(float* x, int n) {
    int i = threadIdx.x;
    if (i > 0 && i < n - 1) x[i] = 0.5f * (x[i - 1] + x[i + 1]);
}
