// The loop goes once more for some threads, and the barrier stands in it. Nobody returns early.
__global__ void shifted(const float *in, float *out, int n)
{
    __shared__ float held[128];
    if (threadIdx.x < n)
        held[threadIdx.x] = in[threadIdx.x];
    for (int i = threadIdx.x; i < n + 1; i += blockDim.x) {
        __syncthreads();
        if (i < n)
            out[i] = held[n - 1 - i];
    }
}

int main()
{
    int n = 100;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    shifted<<<1, 128>>>(in, out, n);
}
// says: 7 8: The barrier stands in the loop of line 7, which not all threads go through equally often
// says: 7 8: take the barrier out of the loop
// never: returning early
// mend 7: __syncthreads(); for (int i = threadIdx.x; i < n + 1; i += blockDim.x) {
// mend 8:
