// How soon does a word come, and how many come in a second, from each place that can hold it?

// Chains lines of 128 bytes: the first words of each are the address of the next, in an order that
// no cache can foresee. `count` is a power of two, so that the order visits every line once.
extern "C" __global__ void chain(unsigned long long* lines, unsigned count) {
    unsigned step = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        unsigned next = (1664525u * i + 1013904223u) & (count - 1);
        lines[16 * i] = (unsigned long long)(lines + 16 * next);
        if (i == 0) lines[1] = (unsigned long long)lines;
    }
}

// Follows a chain in one thread: no load can begin before the one before it has ended. Each launch
// goes on where the last one stopped, so that a chain longer than a cache always misses it.
#define FOLLOW(NAME, LOAD)                                                                    \
    extern "C" __global__ void NAME(unsigned long long* lines, int rounds) {                  \
        unsigned long long at = lines[1];                                                     \
        for (int round = 0; round < rounds; round++) {                                        \
            _Pragma("unroll") for (int step = 0; step < 8; step++) {                          \
                asm volatile(LOAD ".u64 %0, [%0];" : "+l"(at));                               \
            }                                                                                 \
        }                                                                                     \
        lines[1] = at;                                                                        \
    }

FOLLOW(follow_l1, "ld.global.ca")
FOLLOW(follow_l2, "ld.global.cg")

// The same in shared memory, whose chain the thread makes itself.
extern "C" __global__ void follow_shared(unsigned* out, int rounds) {
    __shared__ unsigned words[256];
    for (int i = 0; i < 256; i++) {
        unsigned next = (77u * i + 31u) & 255u;
        words[i] = (unsigned)__cvta_generic_to_shared(words + next);
    }
    __syncthreads();
    unsigned at = words[0];
    for (int round = 0; round < rounds; round++) {
#pragma unroll
        for (int step = 0; step < 8; step++) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at));
    }
    out[0] = at;
}

// A value in a register: each multiply-add needs the result of the one before it.
extern "C" __global__ void follow_registers(float* out, float x, float y, int rounds) {
    float sum = 1.0f;
    for (int round = 0; round < rounds; round++) {
#pragma unroll
        for (int step = 0; step < 8; step++) {
            asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(sum) : "f"(x), "f"(y));
        }
    }
    out[0] = sum;
}

// Loads of 16 bytes for each lane, a warp's from four lines. The 64 lines stay in the L1 cache; each
// round begins at others, or ptxas would load them once for all rounds.
extern "C" __global__ void read_l1(uint4* words, int rounds) {
    unsigned all = 0;
    for (int round = 0; round < rounds; round++) {
        const uint4* mine = words + (threadIdx.x & 31) + 32 * (round & 7);
#pragma unroll
        for (int step = 0; step < 8; step++) {
            uint4 word;
            asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
                         : "l"(mine + 32 * step));
            all ^= word.x ^ word.y ^ word.z ^ word.w;
        }
    }
    // The buffer holds zeros: that this is not 1 the compiler cannot know.
    if (all == 1) words[0].x = all;
}

// Loads of one word from each of 32 lines for a warp: what L1 serves is lines, whatever is taken of
// them.
extern "C" __global__ void read_l1_lines(unsigned* words, int rounds) {
    unsigned all = 0;
    for (int round = 0; round < rounds; round++) {
        const unsigned* mine = words + 32 * (threadIdx.x & 31) + (round & 15);
#pragma unroll
        for (int step = 0; step < 8; step++) {
            unsigned word;
            asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(word) : "l"(mine + step));
            all ^= word;
        }
    }
    if (all == 1) words[0] = all;
}

// Loads of 16 bytes for each lane past the L1 cache, from `count` places that fit into the L2 cache;
// every warp comes to all of them.
extern "C" __global__ void read_l2(uint4* words, unsigned count, int rounds) {
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned all = 0;
    for (int round = 0; round < rounds; round++) {
#pragma unroll
        for (int step = 0; step < 8; step++) {
            uint4 word;
            asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
                         : "l"(words + at));
            all ^= word.x ^ word.y ^ word.z ^ word.w;
            at += 7 * 256;
            if (at >= count) at -= count;
        }
    }
    if (all == 1) words[0].x = all;
}
