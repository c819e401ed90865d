__global__ void k(int* out, const int* in) { int t = threadIdx.x;
__shared__ int a[32], b[32]; a[t] = t; b[t] = -t; __syncthreads(); int* p = in[t] & 1 ? a : b;
out[t] = p[t] + p[31 - t]; }

// sim: (void)<<<1,32>>>(out:i32[32]=0,in:i32[32]=ascending)
// out: 3b549e65a13d
