__global__ void k(float *out, const float *in) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  if (t >= 32)
    return;
  out[t] = s[t] + s[t + 32];
}
// launch: <<<1,64>>>(out:f32[64]=0,in:f32[64]=random)
// says: 4 7: Put a __syncthreads() between line 4 and the `if` of line 5.
// mend 4: s[t] = in[t]; __syncthreads();
