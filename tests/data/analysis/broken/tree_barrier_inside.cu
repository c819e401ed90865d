// A sum over the block, with the barrier inside the `if`.
// compile: compute_80
// launch: <<<1,128>>> --size 16

extern "C" __global__ void tree_barrier_inside(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = A[t] * B[t];
    __syncthreads();
    for (int stride = 64; stride > 0; stride /= 2) {
        if (t < stride) {
            s[t] += s[t + stride];
            __syncthreads();
        }
    }
    if (t == 0)
        C[0] = s[0];
}
// finds: barrier 14 17
