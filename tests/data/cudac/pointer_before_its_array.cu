__global__ void k(int* out, const int* in) { int t = threadIdx.x;
__shared__ int before[32], s[32]; before[t] = 1; s[t] = 2; __syncthreads(); int* p = s; p += t;
out[t] = p[-8]; }

// sim: (void)<<<1,32>>>(out:i32[32]=0,in:i32[32]=ascending)
// finding: memory 3
