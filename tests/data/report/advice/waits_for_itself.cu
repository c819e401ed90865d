__global__ void k(float *out, const float *in, int n) {
  float sum = 0.0f;
  for (int i = 0; i < n;)
    sum = in[i] + threadIdx.x;
  out[threadIdx.x] = sum;
}
// launch: <<<1,32>>>(out:f32[32]=0,in:f32[32]=random,n=4)
// says: 3: See that what the loop's condition compares comes to an end.
// mend 3: for (int i = 0; i < n; ++i)
