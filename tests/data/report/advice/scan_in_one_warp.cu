// Each round adds what a neighbour holds: it must read before that neighbour stores. No atomic helps.
__global__ void running_sums(const float *in, float *out)
{
    __shared__ float held[16];
    int t = threadIdx.x;
    held[t] = in[t];
    __syncthreads();
    for (int d = 1; d < 16; d *= 2) {
        if (t >= d)
            held[t] += held[t - d];
        __syncthreads();
    }
    out[t] = held[t];
}

int main()
{
    float *in, *out;
    cudaMalloc(&in, 16 * sizeof(float));
    cudaMalloc(&out, 16 * sizeof(float));
    running_sums<<<1, 16>>>(in, out);
}
// says: 10: load into a variable, then put a __syncwarp(), then store
// says: 10: outside the `if` of line 9, so that all lanes of the warp come to it
// never: atomicAdd
// mend 9: float v = t >= d ? held[t - d] : 0.0f; __syncwarp(); if (t >= d)
// mend 10: held[t] += v; __syncwarp();
