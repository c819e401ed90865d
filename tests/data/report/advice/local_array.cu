__global__ void k(int *out, const int *in) {
  int a[4];
  for (int i = 0; i < 4; ++i) a[i] = i;
  out[threadIdx.x] = a[in[threadIdx.x] & 7];
}
// launch: <<<1,32>>>(out:i32[32]=0,in:i32[32]=ascending)
// says: 4: `a` ends just before it, where a[4] would be (4 elements)
// says: 4: Compare the index with the extents of `a`: it has 4 elements.
// never: local_a
// never: --args
// mend 4: int i = in[threadIdx.x] & 7; out[threadIdx.x] = i < 4 ? a[i] : 0;
