// A loop whose step is 0.
// compile: compute_80
// launch: <<<1,64>>> --size 16

extern "C" __global__ void wrong_step(const float* A, const float* B, float* C, int M, int N, int K)
{
    int t = threadIdx.x, step = K / 64;
    float acc = 0.0f;
    for (int k = 0; k < K; k += step)
        acc += A[k] * B[t];
    C[t] = acc;
}
// finds: no-end 9
// limit: instructions=1000000
