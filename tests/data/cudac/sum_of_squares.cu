__global__ void k(float *out, const float *in) {
  int t = threadIdx.x;
  float x = in[t], y = in[t + 32], z = in[t + 64];
  float3 v = make_float3(x * x, y * y, z * z);
  out[t] = v.x + v.y + v.z;
  out[t + 32] = x * z + y * x;
}

// sim: (void)<<<1,32>>>(out:f32[64]=0,in:f32[96]=random)
// out: 4542f3e9d6c9
