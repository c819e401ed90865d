template<typename T, int N> __device__ T scaled(T a) { return a * N; }
struct S {
  int m;
  __device__ int get() const { return scaled<int, 3>(m); }
};
__global__ void k(int *out) { S s = {5}; out[threadIdx.x] = s.get(); }

// sim: (void)<<<1,32>>>(out:i32[32]=0)
// out: 5152dc9339f5
