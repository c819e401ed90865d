// Six things are wrong, of four kinds: each is told.
__global__ void k(float *out, const float *in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  float sum;
  s[t] = in[blockIdx.x * 64 + t];
  sum += s[63 - t];
  if (t < 40)
    __syncthreads();
  s[t] = sum;
  if (t < 32)
    sum += s[t] + s[t + 32];
  out[blockIdx.x * 64 + t] = sum;
}
// launch: <<<2,64>>>(out:f32[128]=0,in:f32[100]=random,n=100)
// says: 6: Guard the access
// says: 6 7: Put a __syncthreads() between line 6 and line 7
// says: 7: Give it a value where it is declared
// says: 9 14: The barrier stands in the `if` of line 8
// says: 7 10: Put a __syncthreads() between line 7 and line 10
// says: 10 12: Put a __syncthreads() between line 10 and the `if` of line 11
// mend 5: float sum = 0.0f;
// mend 6: s[t] = blockIdx.x * 64 + t < n ? in[blockIdx.x * 64 + t] : 0.0f; __syncthreads();
// mend 7: sum += s[63 - t]; __syncthreads();
// mend 8:
// mend 9:
// mend 10: s[t] = sum; __syncthreads();
