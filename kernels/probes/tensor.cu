// The tensor cores' roof as `mma.sync` reaches it: 16 x 8 x 16 products of half precision, added up
// in float32, four chains in every warp. (`wgmma`, for Hopper alone, reaches higher.)
extern "C" __global__ void multiply_tiles(float* out, unsigned x, unsigned y, int rounds) {
    float sum[4][4] = {};
    for (int round = 0; round < rounds; round++) {
#pragma unroll
        for (int step = 0; step < 4; step++) {
#pragma unroll
            for (int chain = 0; chain < 4; chain++) {
                float* c = sum[chain];
                asm volatile(
                    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                    "{%0, %1, %2, %3}, {%4, %4, %4, %4}, {%5, %5}, {%0, %1, %2, %3};"
                    : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                    : "r"(x), "r"(y));
            }
        }
    }
    float all = 0.0f;
#pragma unroll
    for (int chain = 0; chain < 4; chain++) all += sum[chain][0] + sum[chain][1] + sum[chain][2] + sum[chain][3];
    if (all == 0.12345f) out[threadIdx.x] = all;
}
