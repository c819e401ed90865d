__global__ void k(int *found, const int *in) {
  int t = threadIdx.x;
  if (in[t] > 3) found[0] = in[t] - t;
}

// sim: (void)<<<1,64>>>(found:i32[1]=0,in:i32[64]=ascending)
// says: by this data alone
