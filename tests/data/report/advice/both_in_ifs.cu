__global__ void k(float *out, const float *in) {
  __shared__ float s[64];
  int t = threadIdx.x;
  if (t < 48) {
    s[t] = in[t];
  }
  if (t >= 48) {
    out[t] = s[t - 48];
  }
}
// launch: <<<1,64>>>(out:f32[64]=0,in:f32[64]=random)
// says: 5 8: Put a __syncthreads() between the end of the `if` of line 4 and the `if` of line 7.
// mend 6: } __syncthreads();
