__global__ void k(float *out, const float *in) {
  int t = threadIdx.x;
  float v = in[t];
  if (t < 16)
    v += __shfl_down_sync(0xffffu, v, 8, 32);
  out[t] = v;
}
// launch: <<<1,32>>>(out:f32[32]=0,in:f32[32]=random)
// says: 5: Let the lane that is read execute the shuffle as well, outside the branch, and name it in the mask
// mend 4: float other = __shfl_down_sync(0xffffffffu, v, 8); if (t < 16)
// mend 5: v += other;
