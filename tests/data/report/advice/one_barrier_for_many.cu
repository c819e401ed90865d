__global__ void k(float *out, const float *in, int n) {
  __shared__ float s[68];
  int t = threadIdx.x;
  s[t + 2] = in[t];
  if (t < 2) {
    s[t] = 0.0f;
    s[t + 66] = 0.0f;
  }
  float a = s[t];
  float b = s[t + 1];
  float c = s[t + 3];
  float d = s[t + 4];
  out[t] = a + b + c + d;
}
// launch: <<<1,64>>>(out:f32[64]=0,in:f32[64]=random,n=64)
// says: 4 12: Put a __syncthreads() between the end of the `if` of line 5 and line 9.
// entries: 2
// mend 8: } __syncthreads();
