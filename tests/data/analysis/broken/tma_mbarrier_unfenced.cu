// The async proxy does not see that the mbarrier is initialised.
// compile: compute_90a
// launch: <<<2x2,128>>>(tensormap:A:64x64:swizzle128:f16,tensormap:B:64x64:swizzle128:f16,C,M,N,K) --size 128

struct __align__(64) TensorMap { char opaque[128]; };

// A tile of 64 x 64 halves is 64 rows of 128 bytes, swizzled; the next eight rows follow 1024 bytes
// later.
__device__ unsigned long long descriptor(const void* tile)
{
    unsigned long long start = (unsigned)__cvta_generic_to_shared(tile) >> 4;
    return start | 1ull << 16 | 1024ull >> 4 << 32 | 1ull << 62;
}

__device__ void fetch(void* tile, const TensorMap& map, int x, int y, unsigned bar)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];"
                 :: "r"((unsigned)__cvta_generic_to_shared(tile)), "l"(&map), "r"(x), "r"(y),
                    "r"(bar) : "memory");
}

__device__ void wait(unsigned bar, int parity)
{
    asm volatile("{ .reg .pred p;\n"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
                 "@!p bra again; }" :: "r"(bar), "r"(parity) : "memory");
}

#define EIGHT(c, i) "+f"(c[i]), "+f"(c[i + 1]), "+f"(c[i + 2]), "+f"(c[i + 3]), \
                    "+f"(c[i + 4]), "+f"(c[i + 5]), "+f"(c[i + 6]), "+f"(c[i + 7])

// c += A x B: A 64 x 16 along k, B 16 x 64 with its columns side by side.
__device__ __forceinline__ void product(float (&c)[32], unsigned long long a, unsigned long long b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
            "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
            "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
            "%32, %33, 1, 1, 1, 0, 1;"
            : EIGHT(c, 0), EIGHT(c, 8), EIGHT(c, 16), EIGHT(c, 24) : "l"(a), "l"(b));
}

extern "C" __global__ void tma_mbarrier_unfenced(const __grid_constant__ TensorMap a,
                                        const __grid_constant__ TensorMap b, float* C, int M, int N,
                                        int K)
{
    __shared__ __align__(1024) unsigned short sA[64 * 64], sB[64 * 64];
    __shared__ __align__(8) unsigned long long full;
    unsigned bar = (unsigned)__cvta_generic_to_shared(&full);
    int row = blockIdx.y * 64, column = blockIdx.x * 64;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(bar));
    }
    __syncthreads();
    float c[32] = {};
    for (int k = 0; k < K; k += 64) {
        if (threadIdx.x == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                         :: "r"(bar), "r"(2 * 64 * 64 * 2) : "memory");
            fetch(sA, a, k, row, bar);
            fetch(sB, b, column, k, bar);
        }
        wait(bar, k / 64 & 1);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int i = 0; i < 64; i += 16)
            product(c, descriptor(sA + i), descriptor(sB + 64 * i));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        __syncthreads();
    }
    int lane = threadIdx.x % 32, at = row + threadIdx.x / 32 * 16 + lane / 4;
    for (int i = 0; i < 32; i += 4) {
        float* first = C + at * N + column + i * 2 + lane % 4 * 2;
        first[0] = c[i];
        first[1] = c[i + 1];
        first[8 * N] = c[i + 2];
        first[8 * N + 1] = c[i + 3];
    }
}
// finds: race 20 52
