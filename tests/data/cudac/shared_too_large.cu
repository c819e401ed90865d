__global__ void k(float *out) {
  __shared__ float a[30000];
  __shared__ float b[30000];
  a[threadIdx.x] = b[threadIdx.x] = 1.0f;
  out[threadIdx.x] = a[31 - threadIdx.x];
}

// sim: (void)<<<1,32>>>(out:f32[32]=0)
// refused: shared_too_large.cu:3:
// says: `b`
// says: 240000
// says: 232448
// never: .ptx
