__global__ void k(float *out, const float *in) {
  __shared__ float s[32];
  int t = threadIdx.x;
  s[t / 2] = in[t];
  __syncthreads();
  out[t] = s[t / 2];
}
// launch: <<<1,32>>>(out:f32[32]=0,in:f32[32]=random)
// says: 4: Let one lane store, or give each lane a place of its own.
// mend 4: if (t % 2 == 0) s[t / 2] = in[t];
