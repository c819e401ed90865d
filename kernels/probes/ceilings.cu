// What is the most that this GPU can do? Programs that do one thing and nothing else: what they
// reach is the roof under which every kernel stands, measured here and not read from a datasheet.

// Nothing: what remains is the launch itself.
extern "C" __global__ void nothing() {}

// Fused multiply-adds in registers. Each needs the one before it in its chain, which takes four
// cycles to come; with sixteen chains in every thread there is always another that can go on.
extern "C" __global__ void multiply_add(float* out, float x, float y, int rounds) {
    float sum[16];
#pragma unroll
    for (int chain = 0; chain < 16; chain++) sum[chain] = (float)(threadIdx.x + chain);
    for (int round = 0; round < rounds; round++) {
#pragma unroll
        for (int step = 0; step < 8; step++) {
#pragma unroll
            for (int chain = 0; chain < 16; chain++) sum[chain] = fmaf(sum[chain], x, y);
        }
    }
    float all = 0.0f;
#pragma unroll
    for (int chain = 0; chain < 16; chain++) all += sum[chain];
    // It never is; but the compiler cannot know, and so must compute it.
    if (all == 0.12345f) out[threadIdx.x] = all;
}

// Reads of shared memory, 16 bytes for each lane, neighbours beside neighbours: no bank has two
// words to give in one wavefront.
extern "C" __global__ void read_shared(int* out, int rounds) {
    __shared__ int4 words[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) words[i] = make_int4(i, i, i, i);
    __syncthreads();
    int all = 0;
    for (int round = 0; round < rounds; round++) {
        const int4* row = words + ((threadIdx.x + 32 * round) & 511);
#pragma unroll
        for (int step = 0; step < 16; step++) {
            int4 word = row[32 * step];
            all ^= word.x ^ word.y ^ word.z ^ word.w;
        }
    }
    // Each round reads the same words for all: that this is 1 the compiler cannot know.
    if (all == 1) out[threadIdx.x] = all;
}
