__global__ void k(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}
// launch: <<<4,32>>>(out:f32[100]=0,in:f32[100]=random,n=100)
// says: 3: `in` ends just before it, where in[100] would be (100 elements)
// says: 3: Guard the access: compare the index with the number of elements
// mend 3: if (i < n) out[i] = in[i];
