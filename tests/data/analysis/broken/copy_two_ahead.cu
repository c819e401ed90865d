// Tiles are copied two steps ahead into two buffers: the next but one lands where lanes still read.
// compile: compute_80
// launch: <<<4x4,16x16>>> --size 64

#define COPY(to, from) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" \
    :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory")

extern "C" __global__ void copy_two_ahead(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float sA[2][16][16], sB[2][16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0.0f;
    for (int step = -2; step < K / 16; ++step) {
        if (step >= 0) {
            asm volatile("cp.async.wait_group 1;" ::: "memory");
            __syncthreads();
        }
        int next = step + 2, to = next % 2;
        if (next < K / 16) {
            COPY(&sA[to][ty][tx], A + row * K + next * 16 + tx);
            COPY(&sB[to][ty][tx], B + (next * 16 + ty) * N + col);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
        if (step >= 0)
            for (int k = 0; k < 16; ++k)
                sum += sA[to][ty][k] * sB[to][k][tx];
    }
    C[row * N + col] = sum;
}
// finds: race 20 26
// finds: race 21 26
