// r = b - A x, a row for each thread
__global__ void residual(const float *A, const float *x, const float *b, float *r, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = b[row];
  for (int k = 0; k < n; ++k) sum -= A[row * n + k] * x[k];
  r[row] = sum;
}

// sim: (void)<<<1,64>>>(A:f32[4096]=random,x:f32[64]=random,b:f32[64]=random,r:f32[64]=0,n=64)
// r: ab2018fd8bb5
// fmas: 4096
