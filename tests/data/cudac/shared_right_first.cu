__global__ void k(int *out) {
  __shared__ int s[64];
  int t = threadIdx.x, n = 2 * t;
  s[n++] = n;
  s[n--] = n;
  __syncthreads();
  out[t] = s[t] + 100 * n;
}

// sim: (void)<<<1,32>>>(out:i32[32]=0)
// out: 9e5dc3d98c71
