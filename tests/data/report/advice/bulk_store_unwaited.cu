// The row is stored to again while a bulk copy still reads it.
__global__ void k(float *out, const float *in)
{
    __shared__ __align__(16) float row[64];
    unsigned from = (unsigned)__cvta_generic_to_shared(row);
    for (int i = 0; i < 2; i++) {
        row[threadIdx.x] = in[i * 64 + threadIdx.x];
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" :: "l"(out + i * 64), "r"(from) : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
        __syncthreads();
    }
}
// launch: <<<1,64>>>(out:f32[128]=0,in:f32[128]=random)
// says: 7 11: cp.async.bulk.wait_group
// mend 12: asm volatile("cp.async.bulk.commit_group;" ::: "memory"); asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
