// Tensor cores by hand: a warp computes 16 x 8 of C with mma.sync from half-precision copies of
// its tiles, brought in by ldmatrix; the sums are float32.
// compile: compute_80
// launch: <<<4x3,32>>> --size 48x32x64
// result: tolerance 1e-3

#include <cuda_fp16.h>

extern "C" __global__ void mma(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(16) __half sA[16][16];
    __shared__ __align__(16) __half sB[16][8];
    const int lane = threadIdx.x;
    const int top = blockIdx.y * 16, left = blockIdx.x * 8;
    float c[4] = {0.0f, 0.0f, 0.0f, 0.0f};

    for (int k0 = 0; k0 < K; k0 += 16) {
        for (int i = lane; i < 16 * 16; i += 32)
            sA[i / 16][i % 16] = __float2half(A[(top + i / 16) * K + k0 + i % 16]);
        for (int i = lane; i < 16 * 8; i += 32)
            sB[i / 8][i % 8] = __float2half(B[(k0 + i / 8) * N + left + i % 8]);
        __syncwarp();

        unsigned a[4], b[2];
        const unsigned fromA = __cvta_generic_to_shared(&sA[lane % 16][lane / 16 * 8]);
        const unsigned fromB = __cvta_generic_to_shared(&sB[lane % 16][0]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                     : "r"(fromA));
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                     : "=r"(b[0]), "=r"(b[1])
                     : "r"(fromB));
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                     "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
        __syncwarp();
    }
    const int row = top + lane / 4, col = left + lane % 4 * 2;
    C[row * N + col] = c[0];
    C[row * N + col + 1] = c[1];
    C[(row + 8) * N + col] = c[2];
    C[(row + 8) * N + col + 1] = c[3];
}
