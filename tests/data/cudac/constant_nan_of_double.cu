__global__ void k(unsigned *out) {
  double x = 0.0 / 0.0;
  out[threadIdx.x] = __double2hiint(x) ^ __double2loint(x);
}

// sim: --block 32 --grid 1 --result any --args out:u32[32]=0
// out: b18909a55791
