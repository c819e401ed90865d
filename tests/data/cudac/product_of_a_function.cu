__device__ float times(float a, float b) { return a * b; }
__global__ void mm(const float *A, const float *B, float *C, int N) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0.0f;
  for (int k = 0; k < N; ++k) {
    sum += times(A[row * N + k], B[k * N + col]);
  }
  C[row * N + col] = sum;
}

// sim: <<<,16x16>>> --size 64
// fmas: 262144
