// Each half of the block has its own __syncthreads().
// compile: compute_80
// launch: <<<1,128>>>(A:f32[4096],B=8,C:f32[4096],M=8,N=8,K=8) --size 16

extern "C" __global__ void barriers_of_branches(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float half[2];
    int t = threadIdx.x;
    if (t < 64) {
        if (t == 0)
            half[0] = A[0];
        __syncthreads();
        C[t] = half[1];
    } else {
        if (t == 64)
            half[1] = A[1];
        __syncthreads();
        C[t] = half[0];
    }
}
// finds: barrier 12 17
