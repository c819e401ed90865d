// A sum over the block, halved again and again without a barrier.
// compile: compute_80
// launch: <<<1,128>>>(A:f32[512],B:f32[512],C:f32[512],M=8,N=8,K=8) --size 16

extern "C" __global__ void tree_without_barrier(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = A[t] * B[t];
    __syncthreads();
    for (int stride = 64; stride > 0; stride /= 2) {
        if (t < stride)
            s[t] += s[t + stride];
    }
    if (t == 0)
        C[0] = s[0];
}
// finds: race 13
