__global__ void k(int *out, const int *in) {
  __shared__ int s[4][16];
  int t = threadIdx.x;
  s[t / 16][t % 16] = in[t];
  s[2 + t / 16][t % 16] = -t;
  __syncthreads();
  out[t] = s[1][t % 16 + 1];
}

// sim: (void)<<<1,32>>>(out:i32[32]=0,in:i32[32]=ascending)
// says: at line 7: index 16 is outside its row of `s`, which has 16
