// sarek.ml as Sarek's CUDA generator lowers it: vectors with their lengths, flat shared arrays,
// inclusive loops, and a superstep as its body and one __syncthreads(). There is none between the
// sum and the next tiles: a race, which any run may hide.
// compile: compute_52
// launch: <<<,16x16>>>(A,1280,B,1920,C,1536,M,N,K) --size 32x48x40
// result: chain
// race: a warp that is ahead loads the next tiles while others still read these

extern "C" {
__global__ void product(float* __restrict__ a, int sarek_a_length, float* __restrict__ b,
                        int sarek_b_length, float* __restrict__ c, int sarek_c_length, int m, int n,
                        int k) {
  __shared__ float tile_a[256];
  __shared__ float tile_b[256];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int row = (ty + (blockDim.y * blockIdx.y));
  int col = (tx + (blockDim.x * blockIdx.x));
  float sum = 0.0f;
  for (int t = 0; t <= (((k + 15) / 16) - 1); t++) {
    int from_a = ((t * 16) + tx);
    int from_b = ((t * 16) + ty);
    if (((row < m) && (from_a < k))) {
      tile_a[((ty * 16) + tx)] = a[((row * k) + from_a)];
    } else {
      tile_a[((ty * 16) + tx)] = 0.0f;
    }
    if (((from_b < k) && (col < n))) {
      tile_b[((ty * 16) + tx)] = b[((from_b * n) + col)];
    } else {
      tile_b[((ty * 16) + tx)] = 0.0f;
    }
    __syncthreads();
    for (int i = 0; i <= 15; i++) {
      sum = (sum + (tile_a[((ty * 16) + i)] * tile_b[((i * 16) + tx)]));
    }
  }
  if (((row < m) && (col < n))) {
    c[((row * n) + col)] = sum;
  }
}
}
