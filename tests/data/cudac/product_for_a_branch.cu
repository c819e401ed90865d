struct S { float x, y; };
__global__ void k(float *out, const float *in) {
  int t = threadIdx.x;
  S s;
  s.x = in[t] * in[t + 32];
  s.y = in[t + 64];
  float sum = s.y;
  if (in[t + 96] > 0.5f) sum += s.x;
  out[t] = sum;
}

// sim: (void)<<<1,32>>>(out:f32[32]=0,in:f32[128]=random)
// out: 9faf7e2780a6
