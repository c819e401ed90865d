struct Tile {
  int m[4][4];
};
struct Pair {
  Tile a, b;
};

__global__ void k(int *out, const int *in) {
  __shared__ Pair pair;
  int t = threadIdx.x;
  pair.a.m[t / 4][t % 4] = in[t];
  pair.b.m[t / 4][t % 4] = -in[t];
  __syncthreads();
  out[t] = pair.a.m[t / 4 + 1][t % 4];
}

// sim: (void)<<<1,16>>>(out:i32[16]=0,in:i32[16]=ascending)
// finding: memory 14
// says: 4 lanes of warp 0 at line 14
// says: index 4 is outside the member `m`, which has 4
