__global__ void k(float *out, const float *in) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t < 32) {
    s[t] += s[t + 32];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
  }
  if (t == 0) out[0] = s[0];
}
// launch: <<<1,64>>>(out:f32[64]=0,in:f32[64]=random)
// says: 7 8: Put a __syncwarp() between line 7 and line 8.
// says: 8: Line 8 loads and stores in one statement
// says: 8: load into a variable, then put a __syncwarp(), then store, then put another __syncwarp()
// never: __syncthreads()
// never: atomicAdd
// mend 7: float v = s[t + 32]; __syncwarp(); s[t] += v; __syncwarp();
// mend 8: v = s[t + 16]; __syncwarp(); s[t] += v; __syncwarp();
// mend 9: v = s[t + 8]; __syncwarp(); s[t] += v; __syncwarp();
