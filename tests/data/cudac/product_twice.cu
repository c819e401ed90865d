__global__ void k(float *out, const float *in) {
  int t = threadIdx.x;
  float a = in[t], b = in[t + 32], c = in[t + 64];
  out[t] = a * b + c;
  out[t + 32] = -(a * b) + c * c;
  out[t + 64] = (-a) * b;
  out[t + 96] = c - 2.0f * a;
}

// sim: (void)<<<1,32>>>(out:f32[128]=0,in:f32[96]=random)
// out: 7e3ef51e434e
