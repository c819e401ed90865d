// The least of 64 elements, of which nobody has written the last 14.
// compile: compute_52
// launch: <<<1,64>>> --size 16

extern "C" __global__ void least_of_unwritten(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    if (t < 50)
        s[t] = A[t];
    __syncthreads();
    for (int d = 32; d; d >>= 1) {
        if (t < d)
            s[t] = fminf(s[t], s[t + d]);
        __syncthreads();
    }
    if (t == 0)
        C[0] = s[0];
}

// finds: memory 14
