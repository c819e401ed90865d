// A ring: each block stores what it has to the next block of the cluster, asynchronously, and goes on
// with what it receives.
// compile: compute_90
// launch: <<<8,64>>>(in:f32[512],out:f32[512])
__device__ unsigned of_rank(unsigned addr, unsigned rank)
{
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(addr), "r"(rank));
    return there;
}

extern "C" __global__ void __cluster_dims__(4, 1, 1) cluster_ring(const float* in, float* out)
{
    __shared__ float came[4][64];
    __shared__ __align__(8) unsigned long long full[4];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    unsigned rank, next;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    next = (rank + 1) % 4;
    if (t < 4) {
        unsigned bar = (unsigned)__cvta_generic_to_shared(&full[t]);
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(bar));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" :: "r"(bar) : "memory");
    }
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
    float value = in[i], sum = value;
    for (int round = 0; round < 3; round++) {
        unsigned bar = (unsigned)__cvta_generic_to_shared(&full[round]);
        unsigned place = (unsigned)__cvta_generic_to_shared(&came[round][t]);
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];"
                     :: "r"(of_rank(place, next)), "f"(value), "r"(of_rank(bar, next)) : "memory");
        asm volatile("{ .reg .pred p;\n"
                     "again: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0;\n"
                     "@!p bra again; }" :: "r"(bar) : "memory");
        value = came[round][t];
        sum += value;
    }
    out[i] = sum;
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}
