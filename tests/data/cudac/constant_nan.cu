__global__ void k(unsigned *out) { out[threadIdx.x] = __float_as_uint(0.0f / 0.0f); }

// sim: (void)<<<1,32>>>(out:u32[32]=0)
// out: ccccac350626
