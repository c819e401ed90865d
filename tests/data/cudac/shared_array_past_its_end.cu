__global__ void k(int* out, const int* in) { int t = threadIdx.x;
__shared__ int s[32], after[64]; after[t] = after[t + 32] = 0; s[t] = t; __syncthreads();
s[t + 1] = 5; __syncthreads(); out[t] = s[t] + after[t]; }

// sim: (void)<<<1,32>>>(out:i32[32]=0,in:i32[32]=ascending)
// finding: memory 3
