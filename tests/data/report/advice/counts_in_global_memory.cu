__global__ void k(float *sums, const int *kinds, const float *in) {
  int i = threadIdx.x;
  sums[kinds[i]] += in[i];
}
// launch: <<<1,64>>>(sums:f32[4]=0,kinds:i32[64]=0..3,in:f32[64]=random)
// says: 3: Each thread loads it, adds and stores it, and what others add meanwhile is lost: add with atomicAdd.
// never: load into a variable
// mend 3: atomicAdd(&sums[kinds[i]], in[i]);
