// Device functions that the compiler was told not to inline: one that computes, one that stores
// and returns nothing, one that calls another.
// compile: compute_70
// launch: <<<,16x8>>> --size 33x20x17
// result: chain

__device__ __noinline__ float multiply_add(float a, float b, float c)
{
    return fmaf(a, b, c);
}

__device__ __noinline__ float dot(const float* a, const float* b, int n, int stride)
{
    float sum = 0.0f;
    for (int i = 0; i < n; ++i)
        sum = multiply_add(a[i], b[i * stride], sum);
    return sum;
}

__device__ __noinline__ void put(float* c, int index, float value)
{
    c[index] = value;
}

extern "C" __global__ void noinline_calls(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < N)
        put(C, row * N + col, dot(A + row * K, B + col, K, N));
}
