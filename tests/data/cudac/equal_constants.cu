__global__ void k(int *found, const int *in) {
  if (in[threadIdx.x] > 3) found[0] = 1;
}

// sim: (void)<<<1,64>>>(found:i32[1]=0,in:i32[64]=ascending)
// never: by this data alone
