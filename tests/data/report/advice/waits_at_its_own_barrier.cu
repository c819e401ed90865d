// The barrier counts 64 threads, and 32 come to it.
__global__ void k(float *out, const float *in) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  if (t < 32)
    asm volatile("bar.sync 1, 64;" ::: "memory");
  __syncthreads();
  out[t] = s[63 - t];
}
// launch: <<<1,64>>>(out:f32[64]=0,in:f32[64]=random)
// says: 7 8: Let every thread that a barrier counts come to it: no barrier in a branch that not all take
// mend 6:
