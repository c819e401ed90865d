// Blocks hand a sum on by a store and a load that are atomic, but put nothing in order.
// compile: compute_80
// launch: <<<8,32>>> --size 16

__device__ int ready[8];
__device__ float sums[8];

extern "C" __global__ void relaxed_only(const float* A, const float* B, float* C, int M, int N, int K)
{
    int b = blockIdx.x;
    if (threadIdx.x == 0) {
        float sum = A[b];
        if (b > 0) {
            int seen = 0;
            while (seen == 0)
                asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(&ready[b - 1]) : "memory");
            sum += sums[b - 1];
        }
        sums[b] = sum;
        asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" :: "l"(&ready[b]), "r"(1) : "memory");
        C[b] = sum;
    }
}
// finds: race 17 19
