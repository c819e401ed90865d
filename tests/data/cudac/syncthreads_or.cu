__global__ void k(int *out) { out[threadIdx.x] = __syncthreads_or(threadIdx.x > 5); }

// sim: (void)<<<1,32>>>(out:i32[32]=0)
// out: f91db59bf0e1
