__global__ void k(float *out, const float *in) {
  __shared__ float sum;
  int t = threadIdx.x;
  if (t == 0) sum = 0.0f;
  __syncthreads();
  sum += in[t];
  __syncthreads();
  out[t] = sum;
}
// launch: <<<1,64>>>(out:f32[64]=0,in:f32[64]=random)
// says: 6: add with atomicAdd
// mend 6: atomicAdd(&sum, in[t]);
