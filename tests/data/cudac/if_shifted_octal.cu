#if (0x10 >> 2) == 04 && 017u + 1 == 020 && 'a' == 97
#define V 1
#else
#define V 2
#endif
__global__ void k(int *out) { out[threadIdx.x] = V; }

// sim: (void)<<<1,32>>>(out:i32[32]=0)
// out: f91db59bf0e1
