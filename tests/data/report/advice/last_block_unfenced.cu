__device__ int done;
__global__ void k(float *out, float *part, const float *in) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    part[blockIdx.x] = in[blockIdx.x];
    last = atomicAdd(&done, 1) == gridDim.x - 1;
    if (last) {
      float sum = 0.0f;
      for (int i = 0; i < gridDim.x; ++i) sum += part[i];
      out[0] = sum;
    }
  }
}
// launch: <<<4,32>>>(out:f32[1]=0,part:f32[4],in:f32[4]=random)
// says: 5 9: a __threadfence() after the stores, then an atomic that tells of them; and after the atomic that sees it, a __threadfence() before the loads
// mend 5: part[blockIdx.x] = in[blockIdx.x]; __threadfence();
// mend 8: __threadfence(); float sum = 0.0f;
