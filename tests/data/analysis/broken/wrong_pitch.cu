// A row of the tile is taken for 15 long: its end is the next one's beginning.
// compile: compute_80
// launch: <<<1,16x16>>> --size 16

extern "C" __global__ void wrong_pitch(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float s[16 * 16];
    int tx = threadIdx.x, ty = threadIdx.y;
    s[ty * 15 + tx] = A[ty * K + tx];
    __syncthreads();
    C[ty * N + tx] = s[ty * 15 + tx];
}
// finds: race 9
