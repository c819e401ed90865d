__global__ void k(float *out, const float *in) {
  __shared__ float s[32];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncwarp(0x0000ffffu);
  out[t] = s[31 - t];
}
// launch: <<<1,32>>>(out:f32[32]=0,in:f32[32]=random)
// says: 5: Name every lane that comes to this in its mask
// never: PTX ISA
// mend 5: __syncwarp();
