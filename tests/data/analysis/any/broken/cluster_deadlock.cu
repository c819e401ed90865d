// The block of rank 1 waits at its mbarrier for arrivals of the other one, which arrives at its own.
// compile: compute_90
// expect: barrier
// launch: <<<2,32>>>(out:f32[64])
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_deadlock(float* out)
{
    __shared__ __align__(8) unsigned long long full;
    unsigned bar = (unsigned)__cvta_generic_to_shared(&full), rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" :: "r"(bar));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    asm volatile("barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;" ::: "memory");
    if (rank == 0) {
        asm volatile("{ .reg .u32 there;\n"
                     "mapa.shared::cluster.u32 there, %0, 0;\n"
                     "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there]; }"
                     :: "r"(bar) : "memory");
    } else {
        asm volatile("{ .reg .pred p;\n"
                     "again: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0;\n"
                     "@!p bra again; }" :: "r"(bar) : "memory");
    }
    out[blockIdx.x * 32 + threadIdx.x] = rank;
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}
