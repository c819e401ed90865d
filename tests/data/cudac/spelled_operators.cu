template <typename T> __device__ T zero() { return T{}; }
__global__ void k(double *out, int n) {
  int t = threadIdx.x;
  if (t >= 0 and not (t == 5 or t == 7)) out[t] = t < n ? int{3} : zero<double>() + float();
}

// sim: (void)<<<1,32>>>(out:f64[32]=0,n=20)
// out: c92dc4eac04c
