__global__ void k(int *out) {
  int *p = out + 8 * threadIdx.x, n = threadIdx.x & 3;
  *(p + n++) = n;
  *p++ = n++;
}

// sim: (void)<<<1,32>>>(out:i32[256]=0)
// out: 2e3f4b947eee
