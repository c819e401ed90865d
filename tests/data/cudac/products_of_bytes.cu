__global__ void k(int *out) {
  int t = threadIdx.x, a = t * 0x01030507 ^ 0x80ff7f01;
  unsigned u = a, v = 0x01ff80fe;
  out[t] = __dp4a(a, 0x7f80ff01, t);
  out[t + 32] = __dp4a(u, v, 3u);
}

// sim: (void)<<<1,32>>>(out:i32[64]=0)
// out: 3e14160129ee
