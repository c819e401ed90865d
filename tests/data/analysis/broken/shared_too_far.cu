// The last row of a tile reads the column behind its end.
// compile: compute_80
// launch: <<<1,16x16>>> --size 16

extern "C" __global__ void shared_too_far(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float s[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    s[ty][tx] = A[ty * K + tx];
    __syncthreads();
    C[ty * N + tx] = s[ty][tx] - s[ty][tx + 1];
}
// finds: memory 11
