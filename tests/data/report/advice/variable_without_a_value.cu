__global__ void k(float *out, const float *in) {
  int t = threadIdx.x;
  float sum;
  for (int i = 0; i < 4; ++i)
    sum += in[t * 4 + i];
  out[t] = sum;
}
// launch: <<<1,32>>>(out:f32[32]=0,in:f32[128]=random)
// says: 5: Give it a value where it is declared (sum = 0, for example)
// mend 3: float sum = 0;
