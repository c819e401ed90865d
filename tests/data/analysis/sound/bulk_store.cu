// Threads put the sums of a row together in shared memory, and one stores them in bulk.
// compile: compute_90a
// launch: <<<1x36,64>>> --size 36x64x44

extern "C" __global__ void bulk_store(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(16) float row[64];
    unsigned from = (unsigned)__cvta_generic_to_shared(row);
    for (int part = 0; part < 2; part++) {
        float sum = 0.0f;
        for (int k = 0; k < K; k++)
            sum += A[blockIdx.y * K + k] * B[k * N + threadIdx.x];
        row[threadIdx.x] = part == 0 ? -sum : sum;
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0) {
            float* to = C + blockIdx.y * N;
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                         :: "l"(__cvta_generic_to_global(to)), "r"(from), "r"(64 * 4) : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        }
        __syncthreads();
    }
}
