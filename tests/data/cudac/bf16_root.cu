#include <cuda_bf16.h>
__global__ void k(unsigned short *out) {
  __nv_bfloat16 x = __float2bfloat16(1.0e6f + 4096.0f * threadIdx.x);
  out[threadIdx.x] = __bfloat16_as_ushort(hsqrt(x));
}

// sim: (void)<<<1,32>>>(out:u16[32]=0)
// out: ec58a29f95d6
