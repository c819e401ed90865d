// Nothing keeps a block from loading what the other one has not stored yet.
__global__ void k(float *out, const float *in)
{
    __shared__ float held[32];
    int t = threadIdx.x;
    held[t] = in[blockIdx.x * 32 + t];
    __syncthreads();
    unsigned at = (unsigned)__cvta_generic_to_shared(&held[t]);
    float other;
    asm volatile("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(at) : "r"(blockIdx.x ^ 1));
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(other) : "r"(at) : "memory");
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
    out[blockIdx.x * 32 + t] = other;
}
// launch: __cluster_dims__(2)<<<2,32>>>(out:f32[64]=0,in:f32[64]=random)
// says: 6 11: Let the blocks meet between them (barrier.cluster.arrive and .wait, cluster.sync())
// mend 7: asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
