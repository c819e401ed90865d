__global__ void mm(const float *A, const float *B, float *C, int N) {
  int row = threadIdx.y, col = threadIdx.x;
  for (int k = 0; k < N; ++k)
    C[row * N + col] += A[row * N + k] * B[k * N + col];
}
// launch: <<<1,16x16>>> --size 16
// says: 4: sum up in a register and store with =, not with +=
// mend 3: float sum = 0.0f; for (int k = 0; k < N; ++k)
// mend 4: sum += A[row * N + k] * B[k * N + col]; C[row * N + col] = sum;
