// Each thread stores a byte.
// compile: compute_80
// launch: <<<1,64>>> --size 16

extern "C" __global__ void bytes(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ unsigned char s[64];
    int t = threadIdx.x;
    s[t] = (unsigned char)(A[t] * 100.0f);
    __syncthreads();
    C[t] = s[63 - t];
}
