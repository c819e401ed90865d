__device__ int lock;
__global__ void k(float *sum, const float *in) {
  int t = threadIdx.x;
  if (t % 32 == 0) {
    while (atomicCAS(&lock, 0, 1) != 0)
      ;
    *sum += in[t];
    atomicExch(&lock, 0);
  }
}
// launch: <<<4,64>>>(sum:f32[1]=0,in:f32[64]=random)
// says: 7: a __threadfence() after the atomicCAS that takes it, and another before it is given back
// mend 7: __threadfence(); *sum += in[t]; __threadfence();
