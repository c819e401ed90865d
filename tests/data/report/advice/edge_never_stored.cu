__global__ void k(float *out, const float *in) {
  __shared__ float s[66];
  int t = threadIdx.x;
  s[t + 1] = in[t];
  __syncthreads();
  out[t] = s[t] + s[t + 2];
}
// launch: <<<1,64>>>(out:f32[64]=0,in:f32[64]=random)
// says: 6: Store there first, at the edges of the buffers too
// mend 4: s[t + 1] = in[t]; if (t == 0) { s[0] = 0.0f; s[65] = 0.0f; }
