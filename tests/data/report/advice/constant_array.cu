__constant__ int tab[4] = {1, 2, 3, 4};
__global__ void k(int *out) { out[threadIdx.x] = tab[threadIdx.x & 7]; }
// launch: <<<1,32>>>(out:i32[32]=0)
// says: 2: where tab[4] would be (4 elements)
// says: 2: Compare the index with the extents of `tab`: it has 4 elements.
// never: --args
// mend 2: __global__ void k(int *out) { int i = threadIdx.x & 7; out[threadIdx.x] = i < 4 ? tab[i] : 0; }
