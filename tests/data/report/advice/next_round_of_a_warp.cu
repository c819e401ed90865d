__global__ void k(float *out, const float *in) {
  __shared__ float s[32];
  int t = threadIdx.x;
  float sum = 0.0f;
  for (int i = 0; i < 4; ++i) {
    s[t] = in[i * 32 + t];
    __syncwarp();
    sum += s[31 - t];
  }
  out[t] = sum;
}
// launch: <<<1,32>>>(out:f32[32]=0,in:f32[128]=random)
// says: 8 6: Put a __syncwarp() after line 8, before the next round comes to line 6.
// mend 8: sum += s[31 - t]; __syncwarp();
