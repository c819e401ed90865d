// Each half of the block waits at a barrier of its own: the function is inlined twice.
// compile: compute_52
// launch: <<<1,64>>> --size 16

__device__ __forceinline__ void wait()
{
    __syncthreads();
}

extern "C" __global__ void barriers_of_a_function(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    if (t < 32) {
        s[t] = A[t];
        wait();
        C[t] = s[t + 32];
    } else {
        s[t] = B[t];
        wait();
        C[t] = s[t - 32] * 2.0f;
    }
}

// finds: barrier 7
