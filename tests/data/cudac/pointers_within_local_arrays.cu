__global__ void k(int* out, const int* in) { int t = threadIdx.x;
int a[4], b[4]; for (int i = 0; i < 4; ++i) { a[i] = i; b[i] = t; } int* p = a; for (int i = 0; i < 4; ++i) *p++ += b[3 - i];
out[t] = a[in[t] & 3]; }

// sim: (void)<<<1,32>>>(out:i32[32]=0,in:i32[32]=ascending)
// out: 324f489a80e1
