#include <cuda_bf16.h>
__global__ void k(unsigned short *out) {
  __nv_bfloat16 x = __float2bfloat16(1.0e6f * (threadIdx.x + 1));
  out[threadIdx.x] = __bfloat16_as_ushort(__hmul_rn(hrcp(x), hceil(x)));
}

// sim: (void)<<<1,32>>>(out:u16[32]=0)
// out: 7e37288ce7e2
