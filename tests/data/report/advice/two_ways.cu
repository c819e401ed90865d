__global__ void k(float *out, const float *in) {
  __shared__ float s[64];
  int t = threadIdx.x;
  if (t < 32) {
    s[t] = in[t];
    s[t + 32] = in[t + 32];
  } else {
    out[t] = s[t] + s[t - 32];
  }
}
// launch: <<<1,64>>>(out:f32[64]=0,in:f32[64]=random)
// says: 6 8: No barrier fits between the two ways of the `if` of line 4
// says: 6 8: (line 6), put a __syncthreads() there that all threads of the block reach, and let the other way (line 8) follow
// never: returning early
// mend 7: } __syncthreads(); if (t >= 32) {
