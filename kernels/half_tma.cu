// C = A x B, A and B in half precision, sums in float32: let the copy engine bring
// the tiles.
//
// In half_wgmma all 256 threads compute addresses and start copies of 16 bytes. On
// Hopper one thread starts the copy of a whole tile (cp.async.bulk.tensor, "TMA"),
// and an engine beside the cores does it. A tensor map, which the host makes, says
// where a matrix lies, how large a tile is and how it is swizzled in shared memory.
// What is outside of the matrix arrives as zeros and is never stored, so there are
// no edges here. Rows of a matrix must take a multiple of 16 bytes: odd ones are
// padded, as cudaMallocPitch does.
//
// - Each warp has one task. One thread, the producer, starts copies; two warpgroups,
//   the consumers, multiply. setmaxnreg gives them the registers of the others.
// - Each of the STAGES pairs of tiles has two mbarriers. "full": the copy engine
//   counts down the bytes that are still to come, and the consumers wait for 0.
//   "empty": the consumers have used the tiles, and the producer waits for that.
// - Two blocks, a cluster, compute tiles that lie one below the other in C. Both need
//   the same tile of B: each fetches one half and sends it to both (multicast).
// - There are only as many blocks as fit on the GPU at once, and each computes one
//   tile after the other. So the tiles of A and B for the next tile of C come while
//   this one is being stored.
// - C takes the same way back: each warp puts 16 x 32 of its sums into shared memory, and
//   the engine stores them while the warp puts the next ones.
//
// Dynamic shared memory: STAGES * STAGE bytes for A and B, 32,768 for C, and 1,024 to
// align them.

#ifndef BN
#define BN 256     // 64, 160, 192, 224 or 256
#define STAGES 4   // a power of two
#define BAND 8
#endif
#define BM 128     // two warpgroups with 64 rows each
#define BK 64      // halves: 128 bytes
#define THREADS (128 + 2 * 128)
#define BOXES ((BN + 63) / 64)              // B's tile is fetched 64 columns at a time
#define STAGE (2 * BK * (BM + 64 * BOXES))  // bytes of a pair of tiles: A's, then B's
#define PART (16 * 32 * 4)                  // bytes of C that a warp stores at a time

typedef unsigned long long u64;
struct __align__(64) TensorMap { char opaque[128]; };

__device__ __forceinline__ unsigned address(const void* shared)
{
    return (unsigned)__cvta_generic_to_shared(shared);
}

// A barrier's phases have the parities 0, 1, 0, 1 and so on: wait until the phase with
// this parity is complete. Before the first, one with parity 1 counts as complete.
__device__ __forceinline__ void wait(unsigned barrier, unsigned parity)
{
    asm volatile("{ .reg .pred done;\n"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again; }" :: "r"(barrier), "r"(parity) : "memory");
}

// Copy the box at column x and row y of a matrix to shared memory.
__device__ __forceinline__ void copy(unsigned to, const TensorMap& map, int x, int y,
                                     unsigned full)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];"
                 :: "r"(to), "l"(&map), "r"(x), "r"(y), "r"(full) : "memory");
}

// The same to this place in both blocks of the cluster, each with its own barrier.
__device__ __forceinline__ void copy_to_both(unsigned to, const TensorMap& map, int x, int y,
                                             unsigned full)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;"
                 :: "r"(to), "l"(&map), "r"(x), "r"(y), "r"(full), "h"((unsigned short)3)
                 : "memory");
}

// Arrive at the barrier at this place in a block of the cluster. (Not with .release.cluster:
// that waits for all of the L2 cache, and costs a third of the speed.)
__device__ __forceinline__ void arrive(unsigned barrier, unsigned block)
{
    asm volatile("{ .reg .u32 there;\n"
                 "mapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.shared::cluster.b64 _, [there]; }"
                 :: "r"(barrier), "r"(block) : "memory");
}

// Where a tile is and how it lies: see the half_wgmma kernel. (In a cluster the blocks'
// shared memories have one address space; a descriptor takes the address in its own.)
__device__ __forceinline__ u64 descriptor(unsigned tile, unsigned next)
{
    return (u64)((tile & 0x3ffff) >> 4) | (u64)(next >> 4) << 16 | (u64)(1024 >> 4) << 32
         | 1ull << 62;
}

// The BN / 2 sums of a thread, by their numbers and as operands.
#define TEN(t) "%" #t "0, %" #t "1, %" #t "2, %" #t "3, %" #t "4, " \
               "%" #t "5, %" #t "6, %" #t "7, %" #t "8, %" #t "9, "
#define EIGHT(c, i) "+f"(c[i]), "+f"(c[i + 1]), "+f"(c[i + 2]), "+f"(c[i + 3]), \
                    "+f"(c[i + 4]), "+f"(c[i + 5]), "+f"(c[i + 6]), "+f"(c[i + 7])
#define SIXTEEN(c, i) EIGHT(c, i), EIGHT(c, i + 8)
#define SUMS_64(c) SIXTEEN(c, 0), SIXTEEN(c, 16)
#define SUMS_160(c) SUMS_64(c), SIXTEEN(c, 32), SIXTEEN(c, 48), SIXTEEN(c, 64)
#define SUMS_192(c) SUMS_160(c), SIXTEEN(c, 80)
#define SUMS_224(c) SUMS_192(c), SIXTEEN(c, 96)
#define SUMS_256(c) SUMS_224(c), SIXTEEN(c, 112)
#define FORTY TEN() TEN(1) TEN(2) TEN(3)
#define EIGHTY FORTY TEN(4) TEN(5) TEN(6) TEN(7)
#if BN == 64
#define OPERANDS "{" TEN() TEN(1) TEN(2) "%30, %31}, %32, %33"
#define SUMS(c) SUMS_64(c)
#elif BN == 160
#define OPERANDS "{" FORTY TEN(4) TEN(5) TEN(6) \
                 "%70, %71, %72, %73, %74, %75, %76, %77, %78, %79}, %80, %81"
#define SUMS(c) SUMS_160(c)
#elif BN == 192
#define OPERANDS "{" EIGHTY TEN(8) "%90, %91, %92, %93, %94, %95}, %96, %97"
#define SUMS(c) SUMS_192(c)
#elif BN == 224
#define OPERANDS "{" EIGHTY TEN(8) TEN(9) TEN(10) "%110, %111}, %112, %113"
#define SUMS(c) SUMS_224(c)
#else
#define OPERANDS "{" EIGHTY TEN(8) TEN(9) TEN(10) TEN(11) \
                 "%120, %121, %122, %123, %124, %125, %126, %127}, %128, %129"
#define SUMS(c) SUMS_256(c)
#endif
#define TEXT(n) #n
#define WGMMA(n) "wgmma.mma_async.sync.aligned.m64n" TEXT(n) "k16.f32.f16.f16 "

// c += A x B: A 64 x 16 with its rows in rows, B 16 x BN with its columns in rows.
__device__ __forceinline__ void wgmma(float (&c)[BN / 2], u64 a, u64 b)
{
    asm volatile(WGMMA(BN) OPERANDS ", 1, 1, 1, 0, 1;" : SUMS(c) : "l"(a), "l"(b));
}

// Where the n-th pair of tiles lies in C: in bands of BAND pairs, see the half_tensor
// kernel.
__device__ __forceinline__ void place(int n, int pairs, int columns, int& row, int& col)
{
    int band = n / (BAND * columns) * BAND;
    int height = min(BAND, pairs - band);
    row = (band + (n - band * columns) % height) * 2 * BM;
    col = (n - band * columns) / height * BN;
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(THREADS, 1)
half_tma(const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B,
         const __grid_constant__ TensorMap C, int M, int N, int K)
{
    extern __shared__ char shared[];
    __shared__ __align__(8) u64 barriers[2 * STAGES];
    unsigned tiles = (address(shared) + 1023) / 1024 * 1024;
    unsigned full = address(barriers), empty = full + 8 * STAGES;

    int t = threadIdx.x;
    int rank = blockIdx.x % 2;
    int pairs = (M + 2 * BM - 1) / (2 * BM), columns = (N + BN - 1) / BN;
    int first = blockIdx.x / 2, clusters = gridDim.x / 2;
    int row, col;

    // A phase of "full" is complete when the producer has said how many bytes come and
    // they have come; one of "empty", when the 8 warps that use the tiles have arrived,
    // those of both blocks.
    if (t == 0) {
        for (int s = 0; s < STAGES; ++s) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(full + 8 * s));
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 16;" :: "r"(empty + 8 * s));
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    asm volatile("barrier.cluster.arrive.release.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::: "memory");

    // Steps along k, counted on from tile to tile: each uses the next stage, in turns, so
    // the parity of a stage's phase is that of step / STAGES.
    unsigned step = 0;
    if (t < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        for (int n = first; t == 0 && n < pairs * columns; n += clusters) {
            place(n, pairs, columns, row, col);
            for (int k = 0; k < K; k += BK, ++step) {
                unsigned stage = step % STAGES, bar = full + 8 * stage;
                unsigned a = tiles + stage * STAGE, b = a + 2 * BM * BK;
                wait(empty + 8 * stage, (step / STAGES + 1) % 2);
                asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                             :: "r"(bar), "r"(STAGE) : "memory");
                copy(a, A, k, row + rank * BM, bar);
                // Of B, this block's half of the rows.
                int half = rank * BK / 2;
                #pragma unroll 1
                for (int box = 0; box < BOXES; ++box)
                    copy_to_both(b + 128 * (box * BK + half), B, col + 64 * box, k + half,
                                 bar);
            }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        int warp = t / 32 - 4, group = warp / 4, lane = t % 32;
        unsigned out = tiles + STAGES * STAGE + warp * 2 * PART;
        for (int n = first; n < pairs * columns; n += clusters) {
            float acc[BN / 2] = {};
            for (int k = 0; k < K; k += BK, ++step) {
                unsigned stage = step % STAGES;
                wait(full + 8 * stage, step / STAGES % 2);

                // Start the products of these tiles, 16 steps of k at a time ...
                unsigned a = tiles + stage * STAGE + group * 64 * BK * 2;
                unsigned b = tiles + stage * STAGE + BM * BK * 2;
                asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
                #pragma unroll
                for (int i = 0; i < BK; i += 16)
                    wgmma(acc, descriptor(a + 2 * i, 16), descriptor(b + 128 * i, 128 * BK));
                asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");

                // ... and when those of the tiles before are done, tell both blocks.
                asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
                if (k > 0 && lane < 2) arrive(empty + 8 * ((step - 1) % STAGES), lane);
            }
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
            if (lane < 2) arrive(empty + 8 * ((step - 1) % STAGES), lane);

            // Store the sums, from two places in turns, swizzled like the tiles. (Two rows
            // still meet in each bank; without that it is no faster.)
            place(n, pairs, columns, row, col);
            #pragma unroll
            for (int part = 0; part < BN / 32; ++part) {
                unsigned from = out + part % 2 * PART;
                // The copy before the last has read this place.
                if (lane == 0) asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
                __syncwarp();
                #pragma unroll
                for (int j = 0; j < 4; ++j) {
                    const float* c = acc + part * 16 + j * 4;
                    unsigned at = from + lane / 4 * 128 + lane % 2 * 8
                                + (j * 2 + lane % 4 / 2 ^ lane / 4) * 16;
                    asm volatile("st.shared.v2.f32 [%0], {%1, %2};"
                                 :: "r"(at), "f"(c[0]), "f"(c[1]) : "memory");
                    asm volatile("st.shared.v2.f32 [%0], {%1, %2};"
                                 :: "r"(at + 8 * 128), "f"(c[2]), "f"(c[3]) : "memory");
                }
                asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
                __syncwarp();
                if (lane == 0)
                    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group "
                                 "[%0, {%1, %2}], [%3];\n"
                                 "cp.async.bulk.commit_group;"
                                 :: "l"(&C), "r"(col + 32 * part),
                                    "r"(row + rank * BM + warp * 16), "r"(from) : "memory");
            }
        }
        if (lane == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
    // Neither block leaves while the other may still copy to its memory or arrive there.
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}
