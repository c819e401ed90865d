__global__ void k(int *out, const int *in) {
  int t = threadIdx.x;
  int mine[3][5];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 5; ++j) mine[i][j] = in[t] * (i + j);
  out[t] = mine[in[t] % 2][5 + in[t] % 2 - t % 2];
}

// sim: (void)<<<1,32>>>(out:i32[32]=0,in:i32[32]=ascending)
// says: at line 6: index 5 is outside its row of `mine`, which has 5
