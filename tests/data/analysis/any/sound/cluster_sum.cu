// The sum of each cluster of four blocks: the block of rank 0 adds what the others keep.
// compile: compute_90
// launch: <<<8,64>>>(in:f32[512],out:f32[2])
extern "C" __global__ void __cluster_dims__(4, 1, 1) cluster_sum(const float* in, float* out)
{
    __shared__ float part[64];
    int t = threadIdx.x;
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    part[t] = in[blockIdx.x * 64 + t];
    for (int half = 32; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) part[t] += part[t + half];
    }
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
    if (rank == 0 && t == 0) {
        float sum = 0;
        for (int other = 0; other < 4; other++) {
            unsigned addr = (unsigned)__cvta_generic_to_shared(part);
            float value;
            asm volatile("{ .reg .u32 there;\n"
                         "mapa.shared::cluster.u32 there, %1, %2;\n"
                         "ld.shared::cluster.f32 %0, [there]; }"
                         : "=f"(value) : "r"(addr), "r"(other) : "memory");
            sum += value;
        }
        out[blockIdx.x / 4] = sum;
    }
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}
