__global__ void k(int *out, const int *in) {
  __shared__ int s[2][4][8];
  int t = threadIdx.x;
  s[0][t / 8][t % 8] = in[t];
  s[1][t / 8][t % 8] = in[t];
  __syncthreads();
  for (int i = 1; i < 4; ++i) out[t] += s[0][t / 8 + i - 2 < 0 ? 0 : t / 8 + i - 2][5];
}

// sim: (void)<<<1,32>>>(out:i32[32]=0,in:i32[32]=ascending)
// says: index 4 is outside its row of `s`, which has 4
