constexpr unsigned int width(64);
constexpr unsigned int half_of_it(width / 2);
static __inline__ __device__ __attribute__((always_inline)) unsigned next(unsigned x) { return x + 1; }
__global__ void k(unsigned *out) {
  unsigned v(threadIdx.x), w = (int(v) - 1);
  out[threadIdx.x] = next(v) + width + half_of_it + w;
}
int main() { return 0; }

// sim: (void)<<<1,32>>>(out:u32[32]=0)
// out: 0df70fdf25f2
