__global__ void k(float *out, const float *in) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  if (in[t] > 0.0f) __syncthreads();
  out[t] = s[63 - t];
}
// launch: <<<1,64>>>(out:f32[64]=0,in:f32[64]=random)
// says: 5 7: 31 threads ended before the barrier of line 5: 17 lanes of warp 0 and 14 lanes of warp 1 at line 7
// says: 5 7: The barrier stands in the `if` of line 5, which not all threads of the block take
// never: returning early
// mend 5: __syncthreads();
