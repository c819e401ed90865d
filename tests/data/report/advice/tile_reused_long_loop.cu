// No barrier between the last use of the tile and its next filling; the loop over it is long.
#define FIELDS 7

__global__ void least_depths(const float *points, float *out, int n, int width)
{
    __shared__ float held[256 * FIELDS];
    int t = threadIdx.y * blockDim.x + threadIdx.x;
    float x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, least = 1e30f;
    for (int base = 0; base < n; base += 256) {
        for (int k = 0; k < FIELDS; k++)
            held[t * FIELDS + k] = points[(base + t) * FIELDS + k];
        __syncthreads();
        for (int i = 0; i < 256; i++) {
            const float *p = &held[i * FIELDS];
            float along = (p[0] * p[3] + p[1] * p[4] + p[2] * p[5]) / (x * p[3] + y * p[4] + p[5]);
            float dx = x * along - p[0], dy = y * along - p[1];
            if (dx * dx + dy * dy < p[6] && along < least)
                least = along;
        }
    }
    out[(blockIdx.y * 16 + threadIdx.y) * width + blockIdx.x * 16 + threadIdx.x] = least;
}

int main()
{
    int n = 1024, width = 32;
    float *points, *out;
    cudaMalloc(&points, n * FIELDS * sizeof(float));
    cudaMalloc(&out, width * width * sizeof(float));
    least_depths<<<dim3(2, 2), dim3(16, 16)>>>(points, out, n, width);
}
// says: 11 17: Put a __syncthreads() after line 17, before the next round comes to line 11.
// entries: 1
// mend 19: } __syncthreads();
