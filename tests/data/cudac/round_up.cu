__global__ void k(float *out) { out[threadIdx.x] = __fadd_ru(threadIdx.x, 0.1f); }

// sim: (void)<<<1,32>>>(out:f32[32]=0)
// out: 5d94e848531b
