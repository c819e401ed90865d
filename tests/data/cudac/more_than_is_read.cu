__global__ void k(int *out) {
  for (int x : {1, 2, 3}) out[threadIdx.x] += x;
}

// sim: (void)<<<1,32>>>(out:i32[32]=0)
// refused: more_than_is_read.cu:2:
// says: NVRTC compiles it
