// All threads store the same to one place.
// compile: compute_80
// launch: <<<1,128>>> --size 16

extern "C" __global__ void lanes_agree(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float scale;
    int t = threadIdx.x;
    scale = 0.5f;
    __syncthreads();
    C[t] = scale * B[t];
}
