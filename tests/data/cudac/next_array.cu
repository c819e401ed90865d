__global__ void k(int *out, const int *in) {
  __shared__ int head[32];
  __shared__ int tail[32];
  int t = threadIdx.x;
  head[t] = in[t];
  tail[t] = 0;
  __syncthreads();
  out[t] = head[t] + tail[t - 1];
}

// sim: (void)<<<1,32>>>(out:i32[32]=0,in:i32[32]=ascending)
// finding: memory 8
// says: tail
