__global__ void k(float *out, const float *in) {
  int t = threadIdx.x;
  float a = in[t], b = in[t + 32], c = in[t + 64], d = in[t + 96];
  out[t] = a * b + c * d;
}

// sim: (void)<<<1,32>>>(out:f32[32]=0,in:f32[128]=random)
// out: c5c267102a87
