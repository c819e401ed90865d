__global__ void k(int *out) {
  int x = threadIdx.x * 5, n = 0;
  while ((x = x / 2)) ++n;
  for (int y = 9; (y -= 2) > 0;) n += y;
  out[threadIdx.x] = n;
}

// sim: (void)<<<1,32>>>(out:i32[32]=0)
// out: 535bf3fce195
