__global__ void k(float *out) {
  float3 v = make_float3(1.0f, 2.0f, threadIdx.x);
  v = 0.5f * v;
  out[threadIdx.x] = v.z;
}

// sim: (void)<<<1,32>>>(out:f32[32]=0)
// refused: operator_of_a_vector.cu:3:
// says: an operator for a `float3` is not in matviz's CUDA
// never: is no number
