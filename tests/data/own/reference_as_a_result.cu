__device__ float &at(float *p, int i) { return p[i]; }
__global__ void k(float *out) { at(out, threadIdx.x) = 2.0f; }

// sim: --block 32 --grid 1 --result any --args out:f32[32]=0
// refused: reference_as_a_result.cu:1:
// says: a reference as a result
// never: nothing can be stored
