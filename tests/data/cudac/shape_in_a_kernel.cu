__global__ void k(float *out) {
  dim3 shape(1, 2, 3);
  out[threadIdx.x] = shape.y;
}

// sim: (void)<<<1,32>>>(out:f32[32]=0)
// refused: shape_in_a_kernel.cu:2:
// says: a variable of the type `dim3` is not in matviz's CUDA
