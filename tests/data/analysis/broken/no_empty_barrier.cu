// The loading warp does not wait until the other has used what it loaded.
// compile: compute_80
// launch: <<<1,64>>> --size 16

extern "C" __global__ void no_empty_barrier(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float s[32];
    int t = threadIdx.x, lane = t % 32;
    float sum = 0.0f;
    for (int k = 0; k < 8; ++k) {
        if (t < 32) {
            s[lane] = A[32 * k + lane];
            asm volatile("bar.sync 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            sum += s[31 - lane];
        }
    }
    if (t >= 32)
        C[lane] = sum;
}
// finds: race 12 16
