// Each half of a warp synchronises by itself and reads its own part.
// compile: compute_80
// launch: <<<1,32>>> --size 16

extern "C" __global__ void half_warps(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float s[32];
    int lane = threadIdx.x;
    unsigned mask = lane < 16 ? 0xffffu : 0xffff0000u;
    s[lane] = A[lane];
    __syncwarp(mask);
    C[lane] = s[lane ^ 15];
}
