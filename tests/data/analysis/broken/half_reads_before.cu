// Half of a warp reads a word; the other half synchronises and writes it, whenever it likes.
// compile: compute_70
// launch: <<<1,32>>> --size 16

extern "C" __global__ void half_reads_before(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float word;
    int t = threadIdx.x;
    if (t == 0)
        word = A[0];
    __syncthreads();
    if (t < 16) {
        C[t] = word;
    } else {
        __syncwarp(0xffff0000);
        C[t] = word * 2.0f;
        __syncwarp(0xffff0000);
        if (t == 16)
            word = 0.0f;
    }
}

// finds: race 13 19
