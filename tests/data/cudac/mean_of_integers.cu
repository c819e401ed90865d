__global__ void k(int *out) {
  int i = 1 << threadIdx.x, j = -3;
  out[threadIdx.x] = __hadd(i, j) + __rhadd(i, j);
}

// sim: (void)<<<1,32>>>(out:i32[32]=0)
// out: e63854faf53a
