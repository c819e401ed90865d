// A barrier that counts votes.
// compile: compute_80
// launch: <<<1,128>>> --size 16

extern "C" __global__ void vote(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = A[t];
    int many = __syncthreads_count(A[t] > 0.0f);
    C[t] = s[127 - t] + (float)many;
}
