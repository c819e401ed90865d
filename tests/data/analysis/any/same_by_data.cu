// Two threads store to each element: of one value only because all inputs are the same.
__global__ void pairs(float* out, const float* in) { out[threadIdx.x / 2] = in[threadIdx.x]; }
