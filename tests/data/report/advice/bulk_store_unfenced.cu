// The async proxy need not see what threads have stored.
__global__ void k(float *out, const float *in)
{
    __shared__ __align__(16) float row[64];
    unsigned from = (unsigned)__cvta_generic_to_shared(row);
    row[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" :: "l"(out), "r"(from) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
// launch: <<<1,64>>>(out:f32[64]=0,in:f32[64]=random)
// says: 6 9: fence.proxy.async
// mend 6: row[threadIdx.x] = in[threadIdx.x]; asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
