__device__ void meet(float *s, int t) { s[t] += 1.0f; __syncthreads(); }
__global__ void k(float *out, const float *in) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  if (t < 40)
    meet(s, t);
  __syncthreads();
  out[t] = s[63 - t];
}
// launch: <<<1,64>>>(out:f32[64]=0,in:f32[64]=random)
// says: 1 8: warp 0 and 8 lanes of warp 1 (line 1) and 24 lanes of warp 1 (line 8) wait for each other at different barriers
// says: 1 8: outside the `if` of line 6
// volta: undefined
// mend 1: __device__ void meet(float *s, int t) { s[t] += 1.0f; }
