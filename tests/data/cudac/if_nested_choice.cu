#define A 3
#if (A > 2 ? A < 4 ? 5 : 6 : 7) == 5 && ~A < 0 && !(~0u < 1)
#define V 1
#else
#define V 2
#endif
__global__ void k(int *out) { out[threadIdx.x] = V; }

// sim: (void)<<<1,32>>>(out:i32[32]=0)
// out: f91db59bf0e1
