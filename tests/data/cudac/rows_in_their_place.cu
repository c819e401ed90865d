__global__ void k(int *out, const int *in) {
  __shared__ int s[33][32];
  int t = threadIdx.x;
  for (int i = 0; i < 33; ++i) s[i][t] = i * in[t];
  __syncthreads();
  int *all = &s[0][0];
  int sum = t > 0 ? s[t][t - 1] : 0;
  for (int i = t; i < 33 * 32; i += 32) sum += all[i];
  for (int *p = s[4]; p != &s[6][0]; ++p) sum += *p;
  out[t] = sum;
}

// sim: (void)<<<1,32>>>(out:i32[32]=0,in:i32[32]=ascending)
// never: outside its row
// out: 9fa7573d8134
