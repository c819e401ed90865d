// Two warps store a number to one word of 8 bytes: 0 and -1, whose halves are equal.
// compile: compute_52
// launch: <<<1,64>>> --size 16

extern "C" __global__ void same_in_halves(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ long long word;
    int t = threadIdx.x;
    if (t == 0)
        word = 0;
    if (t == 32)
        word = -1;
    __syncthreads();
    C[t] = (float)word;
}

// finds: race 13
