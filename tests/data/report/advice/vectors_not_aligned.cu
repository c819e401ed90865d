__global__ void k(float *out, const float *in) {
  int t = threadIdx.x;
  float4 v = *(const float4 *)(in + 3 * t);
  out[t] = v.x + v.y + v.z;
}
// launch: <<<1,16>>>(out:f32[16]=0,in:f32[64]=random)
// says: 3: aligned
// mend 3: float3 v = make_float3(in[3 * t], in[3 * t + 1], in[3 * t + 2]);
