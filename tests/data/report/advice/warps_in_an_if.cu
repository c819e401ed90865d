__global__ void k(float *out, const float *in) {
  __shared__ float s[128];
  int t = threadIdx.x;
  if (t < 100) {
    s[t] = in[t];
    out[t] = s[99 - t];
  }
}
// launch: <<<1,128>>>(out:f32[128]=0,in:f32[128]=random)
// says: 5 6: Put a __syncthreads() between line 5 and line 6, outside the `if` of line 4, so that all threads of the block come to it
// mend 5: s[t] = in[t]; } __syncthreads(); if (t < 100) {
