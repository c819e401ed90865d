// A loop that counts away from its end.
// compile: compute_80
// launch: <<<1,64>>> --size 16

extern "C" __global__ void wrong_way(const float* A, const float* B, float* C, int M, int N, int K)
{
    int t = threadIdx.x;
    unsigned sum = 0;
    for (unsigned k = 8; k >= 0; --k)
        sum += k * t;
    C[t] = A[t] + (float)sum;
}
// finds: no-end 9
// limit: instructions=1000000
