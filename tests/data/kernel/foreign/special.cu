// Where a thread is, asked of the special registers themselves.
// compile: compute_70
// launch: <<<5x3,8x4x3>>> --size 36x40x21
// result: chain

#define READ(name, reg) unsigned name; asm("mov.u32 %0, %%" reg ";" : "=r"(name))

extern "C" __global__ void special(const float* A, const float* B, float* C, int M, int N, int K)
{
    READ(x, "tid.x");
    READ(y, "tid.y");
    READ(z, "tid.z");
    READ(across, "ntid.x");
    READ(down, "ntid.y");
    READ(deep, "ntid.z");
    READ(blockX, "ctaid.x");
    READ(blockY, "ctaid.y");
    READ(grid, "nctaid.x");
    READ(lane, "laneid");
    READ(below, "lanemask_lt");
    READ(from, "lanemask_ge");
    READ(me, "lanemask_eq");

    const int col = blockX * across + x;
    const int row = blockY * down * deep + z * down + y;
    // All of these say the same thing about the lane.
    const bool agreed = (1u << lane) == me && below == me - 1 && from == ~below && blockX < grid;
    if (row < M && col < N && agreed) {
        float sum = 0.0f;
        for (int k = 0; k < K; ++k)
            sum += A[row * K + k] * B[k * N + col];
        C[row * N + col] = sum;
    }
}
