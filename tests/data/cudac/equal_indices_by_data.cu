__global__ void k(float *out, const int *slot, const float *in) {
  __shared__ float sum[8];
  int t = threadIdx.x;
  if (t < 8) sum[t] = 0.0f;
  __syncthreads();
  sum[slot[t] % 8] = in[0] * 2.0f + in[t];
  __syncthreads();
  if (t < 8) out[t] = sum[t];
}

// sim: (void)<<<1,32>>>(out:f32[8]=0,slot:i32[32]=3,in:f32[32]=1)
// says: by this data alone
