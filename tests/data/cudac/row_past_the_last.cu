__global__ void k(int* out, const int* in) { int t = threadIdx.x;
__shared__ float s[16][16]; __shared__ int after[32]; s[t / 2][t & 15] = 1; after[t] = t; __syncwarp(); int r = 16;
out[t] = s[t < 30 ? 0 : r][0]; }

// sim: (void)<<<1,32>>>(out:i32[32]=0,in:i32[32]=ascending)
// finding: memory 3
