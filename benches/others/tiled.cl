// The tiled kernel of kernels/tiled.cu in OpenCL, for Oclgrind.
#define TILE 16

kernel void tiled(int n, global const float *A, global const float *B, global float *C) {
    local float sA[TILE][TILE];
    local float sB[TILE][TILE];
    int column = get_local_id(0), row = get_local_id(1);
    int j = get_group_id(0) * TILE + column, i = get_group_id(1) * TILE + row;
    float sum = 0.0f;
    for (int k0 = 0; k0 < n; k0 += TILE) {
        sA[row][column] = A[i * n + k0 + column];
        sB[row][column] = B[(k0 + row) * n + j];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; ++k) {
            sum = fma(sA[row][k], sB[k][column], sum);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    C[i * n + j] = sum;
}
