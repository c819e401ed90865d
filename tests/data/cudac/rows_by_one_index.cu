__global__ void k(int* out, const int* in) { int t = threadIdx.x;
__shared__ float s[16][16]; float* f = &s[0][0]; for (int i = 0; i < 8; ++i) f[t + 32 * i] = i; __syncthreads();
out[t] = s[3][t] + f[255 - t]; }

// sim: (void)<<<1,32>>>(out:i32[32]=0,in:i32[32]=ascending)
// out: 221470a37874
