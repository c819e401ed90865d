__global__ void k(int *out, const int *in) {
  __shared__ float3 s[3][8];
  int t = threadIdx.x;
  if (t < 24) s[t / 8][t % 8] = make_float3(t, in[t], 1.0f);
  __syncthreads();
  int row = 1 + t / 16;
  out[t] = (int)s[row][t % 8 - 1].x;
}

// sim: (void)<<<1,32>>>(out:i32[32]=0,in:i32[32]=ascending)
// says: index -1 is outside its row of `s`, which has 8
