// Blocks load at their edges what their neighbours overwrite: no barrier helps.
__global__ void k(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = 0.0f;
  if (i > 0 && i + 1 < n)
    v = 0.5f * (x[i - 1] + x[i + 1]);
  __syncthreads();
  if (i > 0 && i + 1 < n)
    x[i] = v;
}
// launch: <<<4,32>>>(x:f32[128]=random,n=128)
// rethink: 6 9: Store to another buffer than the one that other blocks load from
