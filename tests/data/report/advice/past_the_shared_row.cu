__global__ void k(float *out, const float *in) {
  __shared__ float s[4][16];
  int t = threadIdx.x;
  s[t / 16][t % 16] = in[t];
  __syncthreads();
  out[t] = s[t / 16 + 1][t % 16];
}
// launch: <<<1,64>>>(out:f32[64]=0,in:f32[64]=random)
// says: 6: where s[4][0] would be (4 rows of 16)
// mend 6: out[t] = t / 16 + 1 < 4 ? s[t / 16 + 1][t % 16] : 0.0f;
