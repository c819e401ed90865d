// Not a branch but the loop's own: loads, multiply-adds and the store stand behind predicates.
// compile: compute_52
// launch: <<<,16x16>>> --size 40x50x33
// result: chain

extern "C" __global__ void predicated(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) {
        const float* a = A + row * K + k;
        const float* b = B + k * N + col;
        asm volatile("{\n\t"
                     ".reg .pred rows, cols, both, none;\n\t"
                     ".reg .f32 x, y;\n\t"
                     "setp.lt.s32 rows, %3, %5;\n\t"
                     "setp.lt.s32 cols|none, %4, %6;\n\t"
                     "and.pred both, rows, cols;\n\t"
                     "mov.f32 x, 0f7FC00000;\n\t"
                     "mov.f32 y, x;\n\t"
                     "@rows ld.global.f32 x, [%1];\n\t"
                     "@!none ld.global.f32 y, [%2];\n\t"
                     "@both fma.rn.f32 %0, x, y, %0;\n\t"
                     "@!both mov.f32 %0, 0f00000000;\n\t"
                     "}"
                     : "+f"(sum)
                     : "l"(a), "l"(b), "r"(row), "r"(col), "r"(M), "r"(N)
                     : "memory");
    }
    asm volatile("{\n\t"
                 ".reg .pred rows, both;\n\t"
                 "setp.lt.s32 rows, %2, %4;\n\t"
                 "setp.lt.and.s32 both, %3, %5, rows;\n\t"
                 "@both st.global.f32 [%0], %1;\n\t"
                 "}" ::"l"(C + row * N + col),
                 "f"(sum), "r"(row), "r"(col), "r"(M), "r"(N)
                 : "memory");
}
