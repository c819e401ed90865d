// C = A x B, A and B in half precision, sums in float32, with Hopper's tensor cores.
//
// wgmma (compute capability 9.0a and no other) is one instruction for four warps, a
// warpgroup: it multiplies a 64 x 16 piece of A by a 16 x 256 piece of B. Two things
// make it faster than mma.sync:
// - It loads A and B from shared memory by itself. No ldmatrix, no registers for
//   them: a descriptor, 64 bits, says where they are and how they are laid out.
// - It is asynchronous. The warps start the products of these tiles, and while the
//   tensor cores work they start the copies of later tiles and wait for the next.
//
// The layout that a descriptor calls "swizzled by 128 bytes" is that of the
// half_tensor kernel: rows of 128 bytes, and in row r the 16 bytes that belong at
// place p are kept at place p ^ (r % 8). B's tile is 256 halves wide, so it is
// kept as four tiles, side by side in C, of 64 halves each.
//
// Whoever stores to shared memory in the usual way has to say so (fence.proxy.async)
// before wgmma, which loads it in another way, may see it.
//
// Dynamic shared memory: 2 * STAGES * BK * (BM + BN) bytes and 1,024 to align them.

#define BM 128   // two warpgroups with 64 rows each
#define BN 256
#define BK 64    // halves: 128 bytes
#ifndef STAGES
#define STAGES 4
#define BAND 8
#endif
#define THREADS 256
#define STAGE (2 * BK * (BM + BN))  // bytes of a pair of tiles: A's, then B's

typedef unsigned short half_t;

// Start a copy of 16 bytes, or of as many zeros.
__device__ void copy16(unsigned to, const half_t* from, bool valid)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :: "r"(to), "l"(from), "r"(valid ? 16 : 0) : "memory");
}

// Where a tile is and how it lies: swizzled by 128 bytes; from eight rows to the
// next eight, 1,024 bytes; from 64 columns of B to the next 64, `next` bytes.
__device__ unsigned long long descriptor(unsigned address, unsigned next)
{
    return (unsigned long long)(address >> 4) | (unsigned long long)(next >> 4) << 16
         | (unsigned long long)(1024 >> 4) << 32 | 1ull << 62;
}

#define EIGHT(c, i) "+f"(c[i]), "+f"(c[i + 1]), "+f"(c[i + 2]), "+f"(c[i + 3]), \
                    "+f"(c[i + 4]), "+f"(c[i + 5]), "+f"(c[i + 6]), "+f"(c[i + 7])

// C += A x B: A 64 x 16 with its rows in rows, B 16 x 256 with its columns in rows
// (the last 1).
__device__ __forceinline__ void wgmma(float (&c)[128], unsigned long long a, unsigned long long b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 "
            "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, "
            "%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, "
            "%34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, "
            "%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, "
            "%66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, "
            "%82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, "
            "%98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
            "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, "
            "%125, %126, %127}, "
            "%128, %129, 1, 1, 1, 0, 1;"
            : EIGHT(c, 0), EIGHT(c, 8), EIGHT(c, 16), EIGHT(c, 24),
              EIGHT(c, 32), EIGHT(c, 40), EIGHT(c, 48), EIGHT(c, 56),
              EIGHT(c, 64), EIGHT(c, 72), EIGHT(c, 80), EIGHT(c, 88),
              EIGHT(c, 96), EIGHT(c, 104), EIGHT(c, 112), EIGHT(c, 120)
            : "l"(a), "l"(b));
}

// Two neighbours in a row of C, if they are the block's own.
__device__ void store2(float* C, int row, int col, int M, int N, int ownRow, int ownCol,
                       float x, float y)
{
    if (row >= M || row < ownRow || col < ownCol) return;
    float* c = C + row * N + col;
    if (N % 2 == 0) {
        if (col < N) *(float2*)c = make_float2(x, y);
    } else {
        if (col + 0 < N) c[0] = x;
        if (col + 1 < N) c[1] = y;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
half_wgmma(const half_t* A, const half_t* B, float* C, int M, int N, int K)
{
    extern __shared__ char shared[];
    unsigned start = (unsigned)__cvta_generic_to_shared(shared);
    unsigned base = (start + 1023) / 1024 * 1024;

    // Tiles in bands: see the half_tensor kernel.
    int id = blockIdx.y * gridDim.x + blockIdx.x;
    int band = id / (BAND * gridDim.x) * BAND;
    int height = min(BAND, (int)gridDim.y - band);
    int place = id - band * gridDim.x;
    int ownRow = (band + place % height) * BM;
    int ownCol = place / height * BN;

    // Tiles that reach beyond the edges of C are moved back inside, over a part of
    // their neighbours: so they need no guards. Each stores its own part only.
    bool wide = K % 8 == 0 && N % 8 == 0;
    int firstRow = wide ? min(ownRow, max(M - BM, 0)) : ownRow;
    int firstCol = wide ? min(ownCol, max(N - BN, 0)) : ownCol;

    int t = threadIdx.x;
    int lane = t % 32;

    // What this thread copies: of A, 16 bytes in every 32nd row; of B, 16 bytes in
    // every 8th.
    int rowA = t / 8, kA = t % 8 * 8;
    int kB = t / 32, colB = t % 32 * 8;
    const half_t* fromA = A + (firstRow + rowA) * K + kA;
    const half_t* fromB = B + kB * N + firstCol + colB;
    unsigned toA = base + 2 * (rowA * BK + (kA ^ rowA % 8 * 8));
    unsigned toB = base + 2 * (BM * BK + colB / 64 * (BK * 64) + kB * 64 + (colB % 64 ^ kB % 8 * 8));

    // Start to fetch the tiles at k0 into a stage.
    bool inside = wide && firstRow + BM <= M && firstCol + BN <= N;
    auto fetch = [&](int stage, int k0) {
        if (inside && k0 < K) {
            #pragma unroll
            for (int s = 0; s < BM; s += 32)
                copy16(toA + stage * STAGE + 2 * s * BK, fromA + k0 + s * K, k0 + kA < K);
            #pragma unroll
            for (int s = 0; s < BK; s += 8)
                copy16(toB + stage * STAGE + 2 * s * 64, fromB + (k0 + s) * N, k0 + kB + s < K);
        } else if (k0 < K) {
            // One by one; zeros outside the matrices.
            half_t* tile = (half_t*)(shared + (base - start) + stage * STAGE);
            #pragma unroll 1
            for (int i = t; i < BM * BK; i += THREADS) {
                int row = i / BK, k = i % BK;
                bool in = firstRow + row < M && k0 + k < K;
                tile[row * BK + (k ^ row % 8 * 8)] = in ? A[(firstRow + row) * K + k0 + k] : 0;
            }
            tile += BM * BK;
            #pragma unroll 1
            for (int i = t; i < BK * BN; i += THREADS) {
                int k = i / BN, col = i % BN;
                bool in = k0 + k < K && firstCol + col < N;
                tile[col / 64 * (BK * 64) + k * 64 + (col % 64 ^ k % 8 * 8)] =
                    in ? B[(k0 + k) * N + firstCol + col] : 0;
            }
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };

    float acc[128] = {};
    #pragma unroll
    for (int s = 0; s < STAGES - 2; ++s)
        fetch(s, s * BK);

    int stage = 0;
    #pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += BK) {
        // These tiles have arrived: this thread's part, then everybody's.
        asm volatile("cp.async.wait_group %0;" :: "n"(STAGES - 3) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();

        // Start the products of these tiles, 16 steps of k at a time ...
        unsigned a = base + stage * STAGE + t / 128 * (64 * BK * 2);
        unsigned b = base + stage * STAGE + BM * BK * 2;
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        #pragma unroll
        for (int k = 0; k < BK; k += 16)
            wgmma(acc, descriptor(a + k * 2, 16), descriptor(b + k * 128, BK * 128));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");

        // ... and see that those of the tiles before are done. All warpgroups were
        // done with the tiles before those when they passed the barrier: their
        // place can be filled anew.
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        fetch((stage + STAGES - 2) % STAGES, k0 + (STAGES - 2) * BK);
        stage = (stage + 1) % STAGES;
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");

    #pragma unroll
    for (int j = 0; j < BN / 8; ++j) {
        int row = firstRow + t / 32 * 16 + lane / 4;
        int col = firstCol + j * 8 + lane % 4 * 2;
        store2(C, row + 0, col, M, N, ownRow, ownCol, acc[j * 4 + 0], acc[j * 4 + 1]);
        store2(C, row + 8, col, M, N, ownRow, ownCol, acc[j * 4 + 2], acc[j * 4 + 3]);
    }
}
