__global__ void k(float *out) {
  float s[200000];
  for (int i = 0; i < 200000; ++i) s[i] = i;
  out[threadIdx.x] = s[threadIdx.x * 7];
}

// sim: (void)<<<1,32>>>(out:f32[32]=0)
// refused: local_too_large.cu:2:
// says: with `s`, a thread needs 800000 bytes of local memory, and has 524288
// never: .ptx
