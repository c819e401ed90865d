__global__ void k(float *out) { out[threadIdx.x] = tgammaf(threadIdx.x + 1); }

// sim: (void)<<<1,32>>>(out:f32[32]=0)
// refused: function_not_compiled.cu:1:
// says: the function `tgammaf` is not in matviz's CUDA
// says: NVRTC compiles it
// never: did you mean
