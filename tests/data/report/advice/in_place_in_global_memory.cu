__global__ void k(float *x, int n) {
  int i = threadIdx.x;
  if (i + 1 < n)
    x[i] += x[i + 1];
}
// launch: <<<1,64>>>(x:f32[64]=random,n=64)
// says: 4: Line 4 loads and stores in one statement
// says: 4: load into a variable, then put a __syncthreads(), then store
// never: atomicAdd
// mend 3: float v = i + 1 < n ? x[i + 1] : 0.0f; __syncthreads(); if (i + 1 < n)
// mend 4: x[i] += v;
