// A block waits for another that comes later, and gives it no word.
// compile: compute_80
// launch: <<<2,32>>> --size 16

extern "C" __global__ void waits_for_block(const float* A, const float* B, float* C, int M, int N, int K)
{
    volatile float* flag = C + M * N - 1;
    int t = threadIdx.x;
    if (blockIdx.x == 0)
        while (*flag != 7.0f)
            ;
    C[blockIdx.x * blockDim.x + t] = A[t];
}
// finds: no-end 10
// limit: instructions=1000000
