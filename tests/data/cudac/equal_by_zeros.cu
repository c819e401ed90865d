__global__ void k(int *out, const int *in) {
  __shared__ int last;
  last = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = last;
}

// sim: (void)<<<1,64>>>(out:i32[64]=7,in:i32[64]=0)
// says: store the same value to last
// says: by this data alone
