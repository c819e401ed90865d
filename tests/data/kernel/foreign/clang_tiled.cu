// As clang writes PTX: the same tiles from another compiler, with the few words of CUDA that it
// needs spelt out here, so that it wants no headers.
// compile: clang 14.0.6 -O2 -gline-tables-only --cuda-gpu-arch=sm_70 -nocudainc -nocudalib
// launch: <<<,16x16>>> --size 100x70x33
// result: chain

#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __device__ __attribute__((device))
#define SIDE 16

extern "C" __global__ void clang_tiled(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float sA[SIDE][SIDE];
    __shared__ float sB[SIDE][SIDE];
    const int tx = __nvvm_read_ptx_sreg_tid_x(), ty = __nvvm_read_ptx_sreg_tid_y();
    const int col = __nvvm_read_ptx_sreg_ctaid_x() * SIDE + tx;
    const int row = __nvvm_read_ptx_sreg_ctaid_y() * SIDE + ty;

    float sum = 0.0f;
    for (int t = 0; t < K; t += SIDE) {
        sA[ty][tx] = row < M && t + tx < K ? A[row * K + t + tx] : 0.0f;
        sB[ty][tx] = col < N && t + ty < K ? B[(t + ty) * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < SIDE; ++k)
            sum += sA[ty][k] * sB[k][tx];
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}
