__global__ void k(float *out, const float *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0)
    out[0] = in[i];
}
// launch: <<<4,32>>>(out:f32[4]=0,in:f32[128]=random)
// says: 4: let each block store a part of its own
// mend 4: out[blockIdx.x] = in[i];
