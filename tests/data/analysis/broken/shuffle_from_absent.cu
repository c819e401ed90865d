// Half of the warp takes the values of the other half, which does not come to the shuffle.
// compile: compute_52
// launch: <<<1,32>>> --size 16

extern "C" __global__ void shuffle_from_absent(const float* A, const float* B, float* C, int M, int N, int K)
{
    int t = threadIdx.x;
    float v = A[t];
    if (t < 16)
        v += __shfl_down_sync(0xffffffff, v, 16);
    C[t] = v;
}

// finds: barrier 10
