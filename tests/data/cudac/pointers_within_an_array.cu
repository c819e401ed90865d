__global__ void k(int* out, const int* in) { int t = threadIdx.x;
__shared__ float s[128]; __shared__ int after[32]; float4* v = (float4*)s; v[t] = make_float4(t, 1, 2, 3); after[t] = t; __syncthreads();
float sum = 0; for (float* p = s + t; p < s + 128; p += 32) sum += *p; out[t] = sum + after[31 - t]; }

// sim: (void)<<<1,32>>>(out:i32[32]=0,in:i32[32]=ascending)
// out: 295b68b01b6d
