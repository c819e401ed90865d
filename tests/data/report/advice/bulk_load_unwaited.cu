// Nobody waits for the bytes that the copy brings.
__global__ void k(float *out, const float *in)
{
    __shared__ __align__(16) float row[64];
    __shared__ __align__(8) unsigned long long full;
    unsigned to = (unsigned)__cvta_generic_to_shared(row), bar = (unsigned)__cvta_generic_to_shared(&full);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(bar));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" :: "r"(bar) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];"
                     :: "r"(to), "l"(in), "r"(bar) : "memory");
    }
    __syncthreads();
    out[threadIdx.x] = row[63 - threadIdx.x];
}
// launch: <<<1,64>>>(out:f32[64]=0,in:f32[64]=random)
// says: 12 15: Wait at the mbarrier that the copy signals (mbarrier.try_wait, for the right phase)
// mend 14: __syncthreads(); asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra again; }" :: "r"(bar) : "memory");
