// The mask names lanes that wait elsewhere.
__global__ void k(float *out, const float *in) {
  int t = threadIdx.x;
  float v = in[t];
  if (t < 16)
    v += __shfl_xor_sync(0xffffffffu, v, 8);
  __syncthreads();
  out[t] = v;
}
// launch: <<<1,32>>>(out:f32[32]=0,in:f32[32]=random)
// says: 6 7: name only those that do
// mend 6: v += __shfl_xor_sync(0x0000ffffu, v, 8);
