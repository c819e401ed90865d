__global__ void k(int *out, const int *in) {
  int t = threadIdx.x, x = in[t];
  unsigned u = x * 2654435761u;
  out[8 * t] = __reduce_add_sync(0xffffffffu, x) + __reduce_min_sync(0xffffffff, x - 9);
  out[8 * t + 1] = __reduce_max_sync(0xffffffff, u) ^ __reduce_min_sync(0xffffffff, u);
  out[8 * t + 2] = __reduce_or_sync(0xffffffff, u) - __reduce_and_sync(0xffffffff, x | 1);
  out[8 * t + 3] = __reduce_xor_sync(0xffffffff, u) + __reduce_add_sync(0xffffffff, u);
}

// sim: (void)<<<1,32>>>(out:i32[256]=0,in:i32[32]=ascending)
// out: d882a3cf4db9
