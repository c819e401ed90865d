#include <cuda_bf16.h>
__global__ void k(unsigned short *out) {
  __nv_bfloat16 x = __float2bfloat16(1.0e6f + threadIdx.x);
  __nv_bfloat16 y = hexp(__float2bfloat16(20.0f + threadIdx.x * 0.5f));
  out[threadIdx.x] = __bfloat16_as_ushort(y);
}

// sim: (void)<<<1,32>>>(out:u16[32]=0)
// out: 04ea423d6026
