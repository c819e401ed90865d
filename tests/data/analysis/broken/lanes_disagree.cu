// All threads store what they found to one place.
// compile: compute_80
// launch: <<<1,32>>> --size 16

extern "C" __global__ void lanes_disagree(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float best;
    int t = threadIdx.x;
    best = A[t];
    __syncthreads();
    C[t] = best * B[t];
}
// finds: race 9
