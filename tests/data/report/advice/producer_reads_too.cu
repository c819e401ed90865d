__global__ void k(float *out, const float *in) {
  __shared__ float s[64], r[64];
  int t = threadIdx.x;
  if (t < 64) { s[t] = in[t]; asm volatile("bar.arrive 1, 128;" ::: "memory"); out[t] = r[63 - t]; }
  else { r[t - 64] = in[t]; asm volatile("bar.sync 1, 128;" ::: "memory"); out[t] = s[127 - t]; }
}
// launch: <<<1,128>>>(out:f32[128]=0,in:f32[128]=random)
// says: 5 4: bar.arrive in line 4 does not wait for the threads that store: use bar.sync there
// never: __syncthreads()
// mend 4: if (t < 64) { s[t] = in[t]; asm volatile("bar.sync 1, 128;" ::: "memory"); out[t] = r[63 - t]; }
