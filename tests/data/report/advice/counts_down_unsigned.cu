__global__ void k(float *out, const float *in, unsigned n) {
  float sum = 0.0f;
  for (unsigned i = n - 1; i >= 0; --i)
    sum += in[i % 32];
  out[threadIdx.x] = sum;
}
// launch: <<<1,32>>>(out:f32[32]=0,in:f32[32]=random,n=4)
// says: 3: take a type that can pass it
// mend 3: for (int i = n - 1; i >= 0; --i)
