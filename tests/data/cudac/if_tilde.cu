#if ~0 == -1
#define V 1
#else
#define V 2
#endif
__global__ void k(int *out) { out[threadIdx.x] = V; }

// sim: (void)<<<1,32>>>(out:i32[32]=0)
// out: f91db59bf0e1
