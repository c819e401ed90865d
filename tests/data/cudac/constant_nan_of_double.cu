__global__ void k(unsigned *out) {
  double x = 0.0 / 0.0;
  out[threadIdx.x] = __double2hiint(x) ^ __double2loint(x);
}

// sim: (void)<<<1,32>>>(out:u32[32]=0)
// out: b18909a55791
