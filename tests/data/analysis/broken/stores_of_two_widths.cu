// Two warps store the number 5 to words that overlap, and it does not land in the same byte.
// compile: compute_52
// launch: <<<1,64>>> --size 16

extern "C" __global__ void stores_of_two_widths(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ unsigned word;
    int t = threadIdx.x;
    if (t == 0)
        word = 5;
    if (t == 32)
        ((volatile unsigned char*)&word)[1] = 5;
    __syncthreads();
    C[t] = (float)word;
}

// finds: race 10 12
