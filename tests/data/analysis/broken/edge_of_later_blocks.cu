// The word before the first is written by nobody; only the first block does without it.
// compile: compute_52
// launch: <<<4,64>>> --size 16

extern "C" __global__ void edge_of_later_blocks(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float s[65];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t + 1] = A[i];
    __syncthreads();
    float left = s[t];
    if (i == 0)
        left = 0.0f;
    C[i] = s[t + 1] - left;
}

// finds: memory 11
