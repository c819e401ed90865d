__device__ int of_one(int x) { return x + 1; }
__device__ int of_two(int x) { return x * 2; }
#define OF(kind) of_##kind
__global__ void k(int *out) { out[threadIdx.x] = OF(one)(threadIdx.x) + OF(two)(3); }
int main() { return 0; }

// sim: (void)<<<1,32>>>(out:i32[32]=0)
// out: 3b9b436f7be1
