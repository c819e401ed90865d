// A loop that waits for a flag which nobody sets.
// compile: compute_80
// launch: <<<1,64>>> --size 16

extern "C" __global__ void waits_for_flag(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ volatile int flag;
    int t = threadIdx.x;
    if (t == 0)
        flag = 0;
    __syncthreads();
    while (flag == 0)
        ;
    C[t] = A[t];
}
// finds: no-end 12
// limit: instructions=1000000
