__global__ void k(int *out) {
  int a[8], n = threadIdx.x & 3;
  for (int i = 0; i < 8; ++i) a[i] = -1;
  a[n++] = n;
  for (int i = 0; i < 8; ++i) out[threadIdx.x * 8 + i] = a[i];
}

// sim: (void)<<<1,32>>>(out:i32[256]=0)
// out: 7b6194ddb0c3
