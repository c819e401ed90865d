__device__ float &at(float *p, int i) { return p[i]; }
__global__ void k(float *out) { at(out, threadIdx.x) = 2.0f; }

// sim: (void)<<<1,32>>>(out:f32[32]=0)
// refused: reference_as_a_result.cu:1:
// says: a reference as a result
// never: nothing can be stored
